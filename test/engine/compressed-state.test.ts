import assert from "node:assert/strict";
import { join } from "node:path";
import { type Ended, pageGuard } from "../cli/support/console";
import { policy, settings } from "../real-engine/declaration";
import { useStories, zoneA } from "../real-engine/story";

describe("On the engine: a state that the backend keeps compressed", function () {
  const begin = useStories(this);

  for (const [variable, ending] of [
    ["PULUMI_DIY_BACKEND_ZSTD", "zst"],
    ["PULUMI_DIY_BACKEND_GZIP", "gz"],
  ] as const) {
    it(`given ${variable}, when a zone has drifted, then drift, report and inventory read the file as they read the stack, and doctor finds nothing wrong with it`, async () => {
      const { sim, stack } = await begin({ [zoneA]: { scripts: 3, connections: 0, cookies: 0 } });
      stack.env[variable] = "true";
      stack.declare({
        watch: settings({ zoneId: zoneA, enabled: true }),
        csp: policy({ zoneId: zoneA, description: "checkout" }),
      });
      await stack.up();
      sim.dashboard.putPolicy(zoneA, { description: "by hand", expression: "true" });
      const command = async (...args: readonly string[]): Promise<Ended> => {
        const env = { ...stack.place.env, ...stack.env };
        const ended = await pageGuard(args, { cwd: stack.place.project, env, now: () => 0 });
        stack.said += ended.out + ended.err;
        return ended;
      };
      const file = join(stack.place.backend, `.pulumi/stacks/story/dev.json.${ending}`);

      const drift = await command("drift", "--state", file);
      assert.equal(drift.code, 2, drift.err);
      assert.match(drift.out, /by hand/);
      assert.equal((await command("drift", "--stack", "dev")).out, drift.out);
      for (const [name, ...args] of [["report", "--json"], ["inventory", "check"], ["coverage"]]) {
        const ended = await command(name ?? "", ...args, "--state", file);
        assert.equal(ended.err.includes("unpack"), false, ended.err);
      }
      const { out } = await command("doctor");
      assert.match(out, /^fine {5}backend lock: none$/m);
      assert.doesNotMatch(out, /backend files/);
      assert.equal(sim.changing().length, 3);
    });
  }
});
