import assert from "node:assert/strict";
import { type ForgeServer, startForge } from "./forge/forge-server";
import { type Ended, pageGuard, printed, zoneId } from "./support/console";

/** Returns reviewers in GitHub's format. */
const reviewers = (...logins: readonly string[]) => ({
  type: "required_reviewers",
  prevent_self_review: true,
  reviewers: logins.map((login) => ({ type: "User", reviewer: { login } })),
});
const branches = { type: "branch_policy" };
const sound = {
  can_admins_bypass: false,
  protection_rules: [reviewers("ann", "bob"), branches],
  deployment_branch_policy: { protected_branches: false, custom_branch_policies: true },
};

describe("page-guard doctor --environment", () => {
  let forge: ForgeServer;

  beforeEach(async () => {
    forge = await startForge();
  });
  afterEach(() => forge.stop());

  const doctor = (env: NodeJS.ProcessEnv, ...flags: string[]): Promise<Ended> =>
    pageGuard(["doctor", "--environment", "production", ...flags], { env });

  const maintainers = [{ access_level: 40, access_level_description: "Maintainers" }];
  const rule = { access_level: 40, required_approvals: 1 };
  const twoPeople = { required_approval_count: 0, approval_rules: [rule] };
  const timer = { type: "wait_timer" };
  const mayDeploy = /^fine {5}approval: .* production can be started only by people who may deploy/m;
  const noReviewers =
    /^STOPS {4}approval: .*jobs of production can start without anybody's approval .*Settings, Environments/m;
  const nobody = /^STOPS {4}approval: .*Protected environments.* role Maintainer/m;

  for (const [what, on, environment, expected, said] of [
    ["required reviewers", "github", sound, 0, /^fine {5}approval: .* production wait for a reviewer$/m],
    ["a branch policy alone", "github", { ...sound, protection_rules: [branches] }, 2, noReviewers],
    ["a timer and no reviewers", "github", { protection_rules: [timer, reviewers()] }, 2, noReviewers],
    ["approvals", "gitlab", { deploy_access_levels: maintainers, ...twoPeople }, 0, mayDeploy],
    ["nobody who may deploy", "gitlab", { deploy_access_levels: [] }, 2, nobody],
    ['the access level "No one"', "gitlab", { deploy_access_levels: [{ access_level: 0 }] }, 2, nobody],
    ["no environment of that name", "gitlab", undefined, 2, nobody],
  ] as const) {
    it(`given ${what} on ${on}, then it exits with ${expected}, without other requests and without warnings`, async () => {
      if (environment) forge.board.environments["production"] = environment;
      const { code, out } = await doctor(forge[on]());
      assert.equal(code, expected, out);
      assert.match(out, said);
      const end = expected === 0 ? "may apply updates" : "must not apply updates yet";
      assert.ok(out.endsWith(`\n\nJobs of this environment ${end}.\n`), out);
      assert.doesNotMatch(out, /warning|SDK|engine|connection/);
      const path = on === "github" ? "repos/shop/infra/environments" : "projects/42/protected_environments";
      assert.deepEqual(forge.journal, [`GET /${path}/production`]);
    });
  }

  it("given ways around the reviewers, or around a second person, then each is a warning, and it exits with 0", async () => {
    forge.board.environments["production"] = {
      can_admins_bypass: true,
      protection_rules: [{ ...reviewers("ann"), prevent_self_review: false }],
      deployment_branch_policy: null,
      deploy_access_levels: maintainers,
    };
    for (const [on, ...said] of [
      [
        "github",
        "administrators may bypass",
        "whoever starts a run ",
        "jobs of any branch may use the envir",
      ],
      ["gitlab", "no second person has to approve"],
    ] as const) {
      const out = await printed(doctor(forge[on]()), 0);
      const warnings = out.split("\n").filter((line) => line.startsWith("warning  approval: "));
      assert.equal(warnings.length, said.length, out);
      for (const [at, text] of said.entries()) assert.ok(warnings[at]?.includes(text), out);
    }
  });

  it("given 403, then it exits with 2; given a malformed response, with 1, also with PAGE_GUARD_ALLOW_UNREVIEWED", async () => {
    forge.next(/protected/, { status: 403, json: "a page of a proxy" });
    const forbidden = await doctor(forge.gitlab());
    assert.deepEqual([forbidden.code, nobody.test(forbidden.out)], [2, true]);
    forge.next(/environments/, { status: 200, json: { protection_rules: "all" } });
    const err = await printed(doctor({ ...forge.github(), PAGE_GUARD_ALLOW_UNREVIEWED: "1" }), 1);
    assert.match(err, /\[PG_COMMAND\]/);
  });

  it("given PAGE_GUARD_ALLOW_UNREVIEWED=1 and no reviewers, then it warns, says what a migration needs, and exits with 0", async () => {
    const env = { ...forge.github(), PAGE_GUARD_ALLOW_UNREVIEWED: "1" };
    const out = await printed(doctor(env), 0);
    assert.match(out, /^warning {2}approval: .*ALLOW_UNREVIEWED is set.*--allow unreviewed-migration=STACK/m);
    assert.equal((await doctor({ ...env, PAGE_GUARD_ALLOW_UNREVIEWED: "0" })).code, 2);
  });

  it("given an unknown CI, then it says what to set and exits with 1", async () => {
    assert.match(await printed(doctor({}), 1), /--on github/);
  });

  it("given also --zone, then it is refused, because it would not check the zone", async () => {
    assert.match(await printed(doctor(forge.github(), "--zone", zoneId), 1), /cannot be used with/);
  });
});
