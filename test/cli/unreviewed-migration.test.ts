import assert from "node:assert/strict";
import { join } from "node:path";
import { approve, step } from "../lifecycle/support/approve";
import { type Ended, useDesk } from "./support/console";
import { eventOf, PlayedPulumi } from "./support/played-pulumi";

const zone = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const inputs = { zoneId: zone, stage: "finished", confirm: zone };
const unreviewed = { PAGE_GUARD_ALLOW_UNREVIEWED: "1" };

describe("page-guard apply without a required approval", () => {
  const atDesk = useDesk();

  /** An approval of the stack `dev`, and a `pulumi` that plays the same plan. */
  async function begin(kind: string, op: string) {
    const desk = await atDesk();
    desk.sim.zones.seed(zone, {});
    const file = join(desk.folder, "approved.json");
    const only = step(kind, op, "move", inputs);
    await approve(file, desk.sim, { zones: [zone], steps: [only] });
    const pulumi = new PlayedPulumi(desk);
    const event = JSON.stringify(eventOf(op, only.urn, inputs)).replaceAll(/(?<=[:.])CspPolicy/g, kind);
    pulumi.previews(JSON.parse(event));
    const apply = (env: NodeJS.ProcessEnv, ...flags: readonly string[]): Promise<Ended> =>
      desk.pageGuard(["apply", "--approved", file, ...flags, "--", "pulumi", "up"], {
        env: { ...pulumi.env, ...env },
      });
    return { pulumi, apply };
  }

  it("given a plan with a migration and no stack's name, then it runs nothing and exits with 2", async () => {
    const { pulumi, apply } = await begin("WafMigrationStep", "create");
    for (const flags of [
      [],
      ["--allow", "no-change"],
      ["--allow", "unreviewed-migration=prod"],
      ["--allow", "unreviewed-migration=*"],
    ]) {
      const { code, out } = await apply(unreviewed, ...flags);
      assert.equal(code, 2, out);
      assert.match(out, /^Nothing was changed\. .*PAGE_GUARD_ALLOW_UNREVIEWED/);
      assert.match(out, /--allow unreviewed-migration=dev$/m);
      assert.match(out, /move \(WafMigration\)/);
    }
    assert.deepEqual(pulumi.calls(), []);
  });

  it("given the stack's name, alone or with other allowances, then it runs the update", async () => {
    const { pulumi, apply } = await begin("WafMigrationStep", "create");
    for (const flags of [
      ["--allow", "unreviewed-migration=dev"],
      ["--allow", "no-change,unreviewed-migration=dev"],
      ["--allow", "unreviewed-migration=dev", "--allow", "no-change"],
    ]) {
      const { code, out, err } = await apply(unreviewed, ...flags);
      assert.equal(code, 0, out + err);
    }
    assert.equal(pulumi.calls().filter((call) => call.startsWith("up ")).length, 3);
  });

  it("given no migration, one that is only released, or a required approval, then it needs no name", async () => {
    const goesOn = async (kind: string, op: string, env: NodeJS.ProcessEnv): Promise<void> => {
      const { pulumi, apply } = await begin(kind, op);
      const { out } = await apply(env);
      assert.doesNotMatch(out, /PAGE_GUARD_ALLOW_UNREVIEWED/);
      assert.match(pulumi.calls()[0] ?? "", /^preview /, `${kind} ${op}`);
    };
    await goesOn("PageGuardSettings", "create", unreviewed);
    await goesOn("WafMigrationStep", "delete", unreviewed);
    await goesOn("WafMigrationStep", "create", {});
    await goesOn("WafMigrationStep", "create", { PAGE_GUARD_ALLOW_UNREVIEWED: "0" });
  });

  it("given unreviewed-migration without a name, then it says what --allow takes and exits with 1", async () => {
    const { apply } = await begin("WafMigrationStep", "create");
    for (const word of ["unreviewed-migration", "unreviewed-migration="]) {
      const { code, err } = await apply(unreviewed, "--allow", word);
      assert.equal(code, 1);
      assert.match(err, /unreviewed-migration=STACK/);
    }
  });
});
