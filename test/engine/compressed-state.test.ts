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
    it(`given ${variable}, when a zone has drifted, then commands read that file as they read an export, and doctor finds nothing wrong with it`, async () => {
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
      const plain = join(stack.place.project, "exported.json");
      const exported = await stack.run("stack", "export", "--file", plain);
      assert.equal(exported.code, 0, exported.output);
      const packed = join(stack.place.backend, `.pulumi/stacks/story/dev.json.${ending}`);
      const made = sim.changing().length;

      const drift = await command("drift", "--state", packed);
      assert.equal(drift.code, 2, drift.err);
      assert.match(drift.out, /by hand/);
      for (const args of [["drift"], ["coverage"], ["report", "--json"]]) {
        const [ofPacked, ofPlain] = [
          await command(...args, "--state", packed),
          await command(...args, "--state", plain),
        ];
        assert.notEqual(ofPacked.code, 1, ofPacked.err);
        assert.deepEqual(ofPacked, ofPlain);
      }
      const { out } = await command("doctor");
      assert.match(out, /^fine {5}backend lock: none$/m);
      assert.doesNotMatch(out, /backend files/);
      assert.equal(sim.changing().length, made);
    });
  }
});
