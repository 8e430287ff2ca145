import assert from "node:assert/strict";
import { filesBelow, textOf } from "./source-files";

const page = textOf("docs/architecture.md");

describe("docs/architecture.md", () => {
  it("names every room of provider/src, and none that is not there", () => {
    const rooms = filesBelow("provider/src").map((file) => {
      const [first = "", ...rest] = file.replace("provider/src/", "").split("/");
      return rest.length > 0 ? `${first}/` : first;
    });
    assert.deepEqual(roomsNamedIn(page), [...new Set(rooms)].sort());
  });

  it("names files that are there", () => {
    const files = filesBelow("provider/src");
    const named = [...page.matchAll(/`([\w/-]+\.ts)`/g)].map(([, name = ""]) => name);
    const lost = named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)));
    assert.deepEqual(lost, []);
  });

  it("can be read in a few minutes", () => {
    assert.ok(page.split("\n").length <= 81, "at most 80 lines");
  });
});

/** What the first column of its table names. */
function roomsNamedIn(text: string): string[] {
  return text
    .split("\n")
    .flatMap((line) => /^\| (`.+?) \|/.exec(line)?.[1]?.split(", ") ?? [])
    .map((name) => name.replaceAll("`", ""))
    .sort();
}
