import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SharedBudget } from "../../../provider/src/api/rate-limit/shared-budget";
import type { RunCommand, StackReview } from "../../../provider/src/cli/fleet/one-stack";
import { type FleetAction, type FleetFlags, runFleet } from "../../../provider/src/cli/fleet/run-fleet";
import type { Session } from "../../../provider/src/cli/session";

const names = ["a", "b", "c"];
const quiet: StackReview = {
  ...{ headline: "1 policy to update.", isUnchanged: false, alerts: [] },
  ...{ undone: [], losses: [], hosts: [], findings: [] },
};
const breaking: StackReview = {
  ...quiet,
  hosts: [{ host: "cdn.example", scripts: 2 }],
  findings: [{ code: "csp-blocks-in-use", severity: "warning", message: "blocks" }],
};
const keepingOut: StackReview = { ...breaking, hosts: [{ host: "evil.example", scripts: 0 }] };
const finishing: StackReview = { ...quiet, undone: [{ name: "WafMigration new-waf", stage: "finished" }] };

describe("A preview of a fleet", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-fleet-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function preview(
    reviews: readonly (StackReview | number)[],
    flags: Partial<FleetFlags> = {},
    stage = "",
    during: (budget: string) => Promise<void> = async () => undefined,
    action: FleetAction = "preview",
  ) {
    const zones = names.map((name) => `- { id: "${name.repeat(32)}", name: ${name}${stage} }\n`).join("");
    writeFileSync(join(folder, "zones.yaml"), zones);
    let out = "";
    const budgets = new Set<string | undefined>();
    const session: Session = {
      ...{ env: {}, cwd: folder, isWatched: false, hasColour: false, now: Date.now },
      out: (text) => {
        out += text;
      },
      err: () => undefined,
      readStdin: async () => "",
    };
    const run: RunCommand = async (argv, { env, out: say }) => {
      budgets.add(env["PAGE_GUARD_BUDGET"]);
      await during(env["PAGE_GUARD_BUDGET"] ?? "");
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
    return { code, out, budgets };
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

  it("given a change that breaks visitors in more zones than --max-impact, then it exits with 2 and nothing is approved; what is kept out does not count", async () => {
    const { code } = await preview([breaking, breaking, quiet], { approve: "approved" });
    assert.equal(code, 2);
    assert.equal(existsSync(join(folder, "approved/manifest.json")), false);
    assert.equal((await preview([breaking, breaking, quiet], { maxImpact: 2 })).code, 0);
    assert.equal((await preview([breaking, keepingOut, keepingOut])).code, 0);
    assert.equal((await preview([{ ...breaking, hosts: [] }, breaking, quiet])).code, 2);
  });

  it("gives all stacks one budget, of its own or the one that is there", async () => {
    const { budgets } = await preview([quiet, quiet, quiet]);
    assert.equal(budgets.size, 1);
    assert.match([...budgets][0] ?? "", /budget$|pipe/);
  });

  it("given --share, then all stacks together send that part of the documented limit", async () => {
    let outcome: unknown;
    await preview([quiet, quiet, quiet], { share: [1, 10] }, "", async (path) => {
      if (outcome !== undefined) return;
      outcome = "asked";
      const [one, other] = [new SharedBudget(path, "token"), new SharedBudget(path, "token")];
      for (let sent = 0; sent < 120; sent += 1) {
        const permit = await (sent % 2 === 0 ? one : other).acquire();
        assert.ok("end" in permit, `request ${sent + 1}: ${JSON.stringify(permit)}`);
        permit.end({});
      }
      const waiting = new AbortController();
      outcome = await one.acquire({ signal: waiting.signal, onLongWait: () => waiting.abort() });
    });
    assert.deepEqual(outcome, { denied: "aborted" }, "request 121 had to wait");
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

  it("says of a stack without drift what could not be compared in it", async () => {
    const compared = { ...quiet, drift: [], notCompared: 0 };
    const secret = { ...compared, notCompared: 2 };
    const { code, out } = await preview([compared, secret, compared], {}, "", async () => undefined, "drift");
    assert.equal(code, 0);
    assert.match(out, /a +1 +ok +no drift\nb +1 +ok +no drift, 2 not compared \(secret\)\n/);
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
