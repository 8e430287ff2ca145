import assert from "node:assert/strict";
import { type ForgeServer, startForge } from "./forge/forge-server";
import { type Ended, pageGuard } from "./support/console";

/** As GitHub shows reviewers. */
const reviewers = (...logins: readonly string[]) => ({
  type: "required_reviewers",
  prevent_self_review: true,
  reviewers: logins.map((login) => ({ type: "User", reviewer: { login } })),
});
const sound = {
  can_admins_bypass: false,
  protection_rules: [reviewers("ann", "bob"), { type: "branch_policy" }],
  deployment_branch_policy: { protected_branches: false, custom_branch_policies: true },
};

describe("page-guard doctor --environment", () => {
  let forge: ForgeServer;

  beforeEach(async () => {
    forge = await startForge();
  });
  afterEach(() => forge.stop());

  const doctor = (env: NodeJS.ProcessEnv, name = "production"): Promise<Ended> =>
    pageGuard(["doctor", "--environment", name], { env });

  describe("on GitHub", () => {
    it("given required reviewers, then it exits with 0, and asks nothing else", async () => {
      forge.board.environments["production"] = sound;
      const { code, out } = await doctor(forge.github());
      assert.equal(code, 0, out);
      assert.match(out, /^fine {5}approval: .* production wait for a reviewer$/m);
      assert.doesNotMatch(out, /warning|SDK|engine|connection/);
      assert.deepEqual(forge.journal, ["GET /repos/shop/infra/environments/production"]);
    });

    it("given no reviewers, whatever else the environment asks for, then it exits with 2 and says where they are set", async () => {
      for (const found of [
        { ...sound, protection_rules: [{ type: "branch_policy" }] },
        { protection_rules: [{ type: "wait_timer", wait_timer: 30 }, reviewers()] },
      ]) {
        forge.board.environments["production"] = found;
        const { code, out } = await doctor(forge.github());
        assert.equal(code, 2, out);
        assert.match(
          out,
          /^STOPS {4}approval: .*jobs of production need nobody's approval .*Settings, Environments/m,
        );
      }
    });

    it("given ways around the reviewers, then each is a warning, and it exits with 0", async () => {
      forge.board.environments["production"] = {
        can_admins_bypass: true,
        protection_rules: [{ ...reviewers("ann"), prevent_self_review: false }],
        deployment_branch_policy: null,
      };
      const { code, out } = await doctor(forge.github());
      assert.equal(code, 0, out);
      assert.match(out, /^warning {2}approval: administrators may bypass/m);
      assert.match(out, /^warning {2}approval: whoever starts a run /m);
      assert.match(out, /^warning {2}approval: jobs of any branch may use it/m);
    });

    it("given an answer that is no answer, then it could not do it: 1, also with PAGE_GUARD_ALLOW_UNREVIEWED", async () => {
      forge.next(/environments/, { status: 200, json: { protection_rules: "all" } });
      const { code, err } = await doctor({ ...forge.github(), PAGE_GUARD_ALLOW_UNREVIEWED: "1" });
      assert.equal(code, 1, err);
      assert.match(err, /\[PG_COMMAND\]/);
    });

    it("given PAGE_GUARD_ALLOW_UNREVIEWED=1 and no reviewers, then it warns, says what a migration then takes, and exits with 0", async () => {
      const env = { ...forge.github(), PAGE_GUARD_ALLOW_UNREVIEWED: "1" };
      const { code, out } = await doctor(env);
      assert.equal(code, 0, out);
      assert.match(
        out,
        /^warning {2}approval: .*PAGE_GUARD_ALLOW_UNREVIEWED is set.*--allow unreviewed-migration=STACK/m,
      );
      assert.equal((await doctor({ ...env, PAGE_GUARD_ALLOW_UNREVIEWED: "0" })).code, 2);
    });
  });

  describe("on GitLab", () => {
    const maintainers = [{ access_level: 40, access_level_description: "Maintainers" }];

    it("given a protected environment with approvals, then it exits with 0", async () => {
      forge.board.environments["production"] = {
        deploy_access_levels: maintainers,
        required_approval_count: 0,
        approval_rules: [{ access_level: 40, required_approvals: 1 }],
      };
      const { code, out } = await doctor(forge.gitlab());
      assert.equal(code, 0, out);
      assert.match(out, /^fine {5}approval: .* production are started by those who may deploy/m);
      assert.doesNotMatch(out, /warning/);
      assert.deepEqual(forge.journal, ["GET /projects/42/protected_environments/production"]);
    });

    it("given nobody who may deploy, or 403, or 404, then it exits with 2", async () => {
      forge.board.environments["production"] = { deploy_access_levels: [] };
      assert.equal((await doctor(forge.gitlab())).code, 2);
      forge.board.environments["production"] = { deploy_access_levels: [{ access_level: 0 }] };
      assert.equal((await doctor(forge.gitlab())).code, 2, "access level 0 is No one");
      forge.next(/protected/, { status: 403, json: { message: "403 Forbidden" } });
      const forbidden = await doctor(forge.gitlab());
      assert.equal(forbidden.code, 2);
      assert.match(forbidden.out, /role Maintainer/);
      const missing = await doctor(forge.gitlab(), "staging");
      assert.equal(missing.code, 2);
      assert.match(missing.out, /Protected environments/);
    });
  });

  it("given no CI that it knows, then it says what to set: 1", async () => {
    const { code, err } = await doctor({});
    assert.equal(code, 1);
    assert.match(err, /--on github/);
  });

  it("takes no zone beside it, for which it would look at nothing", async () => {
    const zone = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
    const { code, err } = await pageGuard(["doctor", "--environment", "production", "--zone", zone], {
      env: forge.github(),
    });
    assert.equal(code, 1);
    assert.match(err, /cannot be used with/);
  });
});
