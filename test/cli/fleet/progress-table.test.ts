import assert from "node:assert/strict";
import { ProgressTable } from "../../../provider/src/cli/fleet/progress-table";

describe("The progress of a fleet", () => {
  let now = 0;
  const progressOn = (isWatched: boolean) => {
    let said = "";
    const session = {
      ...{ env: {}, cwd: ".", isWatched, hasColour: false, now: () => now },
      ...{ out: () => undefined, readStdin: async () => "" },
      err: (text: string) => {
        said += text;
      },
    };
    return { table: new ProgressTable(session), said: () => said };
  };
  const play = (table: ProgressTable): void => {
    now = 0;
    table.expect(3);
    table.begin("shop");
    table.begin("blog");
    now = 2500;
    table.note("blog", "locked by ci");
    table.end("shop", "applied");
    table.begin("docs");
    table.end("docs", "nothing to do");
    now = 4000;
    table.end("blog", "applied");
  };

  it("is lines alone where nobody watches", () => {
    const { table, said } = progressOn(false);
    play(table);
    assert.deepEqual(said().split("\n"), [
      "blog: locked by ci",
      "[1/3] shop: applied (2.5 s)",
      "[2/3] docs: nothing to do (0.0 s)",
      "[3/3] blog: applied (4.0 s)",
      "",
    ]);
  });

  it("has on a terminal a table of what runs below those lines, and leaves nothing of it", () => {
    const { table, said } = progressOn(true);
    play(table);
    assert.match(said(), /1 of 3 zones done, 1 running\n {2}blog {5}2\.5 s {2}locked by ci\n/);
    assert.deepEqual(screenOf(said()), [
      "[1/3] shop: applied (2.5 s)",
      "[2/3] docs: nothing to do (0.0 s)",
      "[3/3] blog: applied (4.0 s)",
    ]);
  });

  it("is never longer than the terminal, whose upper lines could not be cleared", () => {
    const { table, said } = progressOn(true);
    table.expect(64);
    for (let at = 0; at < 64; at += 1) table.begin(`shop-${at}`);
    const frames = said().split("\u001b[J");
    const last = frames.at(-1)?.trimEnd().split("\n") ?? [];
    assert.equal(last.length, 23);
    assert.match(last[0] ?? "", /0 of 64 zones done, 64 running/);
    assert.equal(last.at(-1), "  and 43 more");
    for (let at = 0; at < 64; at += 1) table.end(`shop-${at}`, "applied");
    assert.equal(screenOf(said()).length, 64);
  });
});

/** What a terminal shows after "up n lines" and "clear below". */
function screenOf(text: string): string[] {
  const [first = "", ...parts] = text.split("\u001b[J");
  let lines: string[] = [];
  for (const part of [first, ...parts]) {
    const [written = "", up] = part.split("\u001b[");
    lines = [...lines, ...written.split("\n").slice(0, -1)];
    if (up !== undefined) lines = lines.slice(0, lines.length - Number.parseInt(up, 10));
  }
  return lines;
}
