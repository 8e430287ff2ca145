import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunCommand, StackReview } from "../../../provider/src/cli/fleet/one-stack";
import { type FleetAction, type FleetFlags, runFleet } from "../../../provider/src/cli/fleet/run-fleet";
import type { Session } from "../../../provider/src/cli/session";

const names = ["a", "b", "c"];
const noImpact = { scripts: 0, connections: 0, isUnknown: false };
const quiet: StackReview = {
  ...{ headline: "1 policy to update.", isUnchanged: false, alerts: [] },
  ...{ undone: [], losses: [], impact: noImpact, findings: [], parts: [] },
};
const breaking: StackReview = {
  ...quiet,
  impact: { ...noImpact, scripts: 2 },
  findings: [{ code: "csp-blocks-in-use", severity: "warning", message: "blocks" }],
};
const keepingOut: StackReview = { ...breaking, impact: noImpact };
const finishing: StackReview = {
  ...quiet,
  undone: [{ name: "WafMigration new-waf", stage: "finished", zone: "b".repeat(32) }],
};

describe("A preview of a fleet", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-fleet-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function preview(
    reviews: readonly (object | number)[],
    flags: Partial<FleetFlags> = {},
    stage = "",
    action: FleetAction = "preview",
  ) {
    const zones = names.map((name) => `- { id: "${name.repeat(32)}", name: ${name}${stage} }\n`).join("");
    writeFileSync(join(folder, "zones.yaml"), zones);
    let out = "";
    const session: Session = {
      ...{ env: {}, cwd: folder, isWatched: false, hasColour: false, now: Date.now },
      out: (text) => {
        out += text;
      },
      err: () => undefined,
      readStdin: async () => "",
    };
    const run: RunCommand = async (argv, { out: say }) => {
      const review =
        reviews[
          names.indexOf(argv.find((arg) => arg.startsWith("--stack="))?.slice("--stack=".length) ?? "")
        ];
      if (typeof review === "number") return review;
      say(JSON.stringify(review));
      return 0;
    };
    const given = { zones: "zones.yaml", parallel: 2, maxFailures: 0, maxImpact: 1, wait: 0, ...flags };
    const code = await runFleet(session, run, action, given);
    return { code, out };
  }

  it("exits with 0 for all, with 2 where one needs attention, with 1 where one failed, and says which", async () => {
    assert.equal((await preview([quiet, quiet, quiet])).code, 0);
    const found = await preview([quiet, finishing, quiet]);
    assert.equal(found.code, 2);
    assert.match(found.out, /b +1 +look +it would finish a migration.* stage: finished/);
    const failed = await preview([quiet, finishing, 1]);
    assert.equal(failed.code, 1);
    assert.match(failed.out, /c +1 +FAILED/);
    assert.equal((await preview([quiet, finishing, quiet], {}, ", stage: finished")).code, 0);
    assert.equal((await preview([quiet, finishing, quiet], {}, ", stage: validation")).code, 2);
  });

  it("given stage: finished for a zone, then its stack finishes the migration of no other zone, nor of one that is not known", async () => {
    const [migration] = finishing.undone;
    for (const zone of ["c".repeat(32), undefined]) {
      const elsewhere = { ...quiet, undone: [{ ...migration, zone }] } as StackReview;
      const { code, out } = await preview([quiet, elsewhere, quiet], {}, ", stage: finished");
      assert.equal(code, 2, zone ?? "unknown");
      assert.match(out, /b +1 +look +it would finish a migration/);
    }
  });

  it("given a stack that changes the zone of another one, then it says so and exits with 2; leaving a zone is no such change", async () => {
    const changing = (op: string, zone: string): StackReview => ({
      ...quiet,
      parts: [{ changes: [{ op, zones: [zone.repeat(32)] }] }, { notes: [] }],
    });
    const wrong = await preview([quiet, changing("create", "c"), quiet]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.out, /b +1 +look +it changes zone c{32}, and zones\.yaml gives this stack zone b{32}/);
    const right = [changing("create", "a"), changing("delete", "c"), changing("update", "c")];
    assert.equal((await preview(right)).code, 0);
  });

  it("given a change that breaks visitors in more zones than --max-impact, then it exits with 2 and nothing is approved; what is kept out does not count", async () => {
    const { code } = await preview([breaking, breaking, quiet], { approve: "approved" });
    assert.equal(code, 2);
    assert.equal(existsSync(join(folder, "approved/manifest.json")), false);
    assert.equal((await preview([breaking, breaking, quiet], { maxImpact: 2 })).code, 0);
    assert.equal((await preview([breaking, keepingOut, keepingOut])).code, 0);
    assert.equal(
      (await preview([{ ...breaking, impact: { ...noImpact, isUnknown: true } }, breaking, quiet])).code,
      2,
    );
  });

  it("shows nothing that is invisible or a command for a terminal or a CI, neither in the table nor in JSON", async () => {
    const hostile = { ...quiet, headline: "\u001b[2Jgone\u202e", alerts: ["\n::error::all is well\u202e"] };
    for (const json of [false, true]) {
      const { out } = await preview([hostile, quiet, quiet], { json });
      assert.match(out, /gone/);
      for (const part of ["\u001b", "\u202e", "\n::"]) assert.ok(!out.includes(part), out);
      if (json) assert.deepEqual(JSON.parse(out).zones[0].alerts, hostile.alerts);
    }
  });

  const drift = (zone: string, notCompared = 0) => ({
    ...{ drift: [], notCompared, zones: [{ id: zone.repeat(32) }] },
  });

  it("says of a stack without drift what could not be compared in it", async () => {
    const compared = [drift("a"), drift("b", 2), drift("c")];
    const { code, out } = await preview(compared, {}, "", "drift");
    assert.equal(code, 0);
    assert.match(out, /a +1 +ok +no drift\nb +1 +ok +no drift, 2 not compared \(secret\)\n/);
  });

  it("given a stack that has nothing in its zone, then the comparison of the two says so", async () => {
    const said = [drift("a"), drift("c"), drift("c")];
    const { code, out } = await preview(said, {}, "", "drift");
    assert.equal(code, 2);
    assert.match(out, /a +1 +ok +no drift\nb +1 +look +its stack has no resource in zone b{32}\nc +1 +ok/);
  });

  it("writes one comment, what cannot be undone first, without markup from outside", async () => {
    const hostile = { ...quiet, headline: "# <b>@team</b>", alerts: ["![x](https://evil.example)"] };
    await preview([hostile, finishing, quiet], { markdown: "review.md" });
    const text = readFileSync(join(folder, "review.md"), "utf8");
    assert.match(text, /^<!-- page-guard:review fleet -->\n/);
    assert.ok(text.indexOf("### Cannot be undone") < text.indexOf("### Zones"));
    assert.ok(text.indexOf("| `b` |") < text.indexOf("| `a` |"));
    assert.doesNotMatch(text, /<b>|@team|!\[x\]/);
  });
});
