import assert from "node:assert/strict";
import type { Kind } from "../../../provider/src/lifecycle/kind";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";
import type { ZoneSeed } from "../../../simulator/src";
import type { Properties } from "../small-engine/checkpoint";
import { policy, quietZone, useStories, zoneA } from "../small-engine/zones";

const runManaged = { action: "execute", expression: "true", actionParameters: { id: "1".repeat(32) } };
const entry = { action: "log", expression: "true", value: "script-src 'self'" };

describe("Without a request,", () => {
  describeKind(pageGuardSettings, { zoneId: zoneA, enabled: true }, { useConnectionUrlPath: true });
  describeKind(cspPolicy, policy(), { action: "allow", impact: "error" });
  describeKind(cspPolicy, policy({ description: "another" }), { description: "one more" });
  const policies = { one: entry };
  describeKind(cspPolicySet, { zoneId: zoneA, policies }, { policies: { ...policies, two: entry } });
  const described = [{ ...runManaged, description: "managed" }];
  describeKind(managedWafEntrypoint, { zoneId: zoneA, rules: [runManaged] }, { rules: described });
  const validation = { zoneId: zoneA, stage: "validation", confirm: zoneA };
  describeKind(wafMigrationStep, validation, { stage: "finished" }, { plan: "enterprise", waf: {} });
});

/** Describes the tests for a kind. `edit` replaces some of its inputs. */
function describeKind<Inputs, State extends object>(
  kind: Kind<Inputs, State>,
  inputs: Properties,
  edit: Properties,
  zone: ZoneSeed = quietZone,
): void {
  describe(`a ${kind.name} (${Object.keys(edit).join(", ")})`, () => {
    const begin = useStories(kind);
    const same = { one: inputs };
    const edited = { one: { ...inputs, ...edit } };

    it("given a connection that would send the token unencrypted, when it is previewed, then the error says what to do and no request is sent", async () => {
      const { sim, engine } = await begin({ [zoneA]: zone });
      const connection = { baseUrl: "http://api.example.com/client/v4" };
      const told = await engine.previewFails({ one: { ...inputs, connection } });
      assert.match(told, /http to api\.example\.com, which would send the API token unencrypted.*Use https/s);
      assert.equal(sim.journal.length, 0);
    });

    it("given no token, when nothing has changed, then the preview is empty; when something has changed, then it names the missing token", async () => {
      const env: NodeJS.ProcessEnv = {};
      const { sim, engine } = await begin({ [zoneA]: zone }, env);
      await engine.up(same);
      const before = sim.journal.length;
      env["PAGE_GUARD_API_TOKEN"] = "";
      assert.deepEqual(await engine.preview(same), []);
      assert.match(await engine.previewFails(edited), /No API token is set.*PAGE_GUARD_API_TOKEN/s);
      const both = await engine.previewFails({ ...same, two: inputs });
      assert.match(both, /No API token is set|already declared/);
      assert.equal(sim.journal.length, before);
    });

    it("given PAGE_GUARD_OFFLINE, when it is previewed, then the changes are shown without a request; when it is applied, refreshed or destroyed, then it is refused", async () => {
      const env: NodeJS.ProcessEnv = { PAGE_GUARD_OFFLINE: "1" };
      const { sim, engine } = await begin({ [zoneA]: zone }, env);
      assert.deepEqual(await engine.preview(same), ["create one"]);
      assert.match(await engine.upFails(same), /Nothing is created: PAGE_GUARD_OFFLINE is set/);
      assert.equal(sim.journal.length, 0);

      env["PAGE_GUARD_OFFLINE"] = "";
      await engine.up(same);
      const { length } = sim.journal;
      env["PAGE_GUARD_OFFLINE"] = "1";
      assert.deepEqual(await engine.preview(same), []);
      assert.deepEqual(await engine.preview(edited), ["update one"]);
      const misspelt = { one: { ...inputs, zoneId: "abc" } };
      assert.match(await engine.previewFails(misspelt), /32 hexadecimal characters/);
      assert.match(await engine.upFails(edited), /Nothing is updated: PAGE_GUARD_OFFLINE is set/);
      await assert.rejects(engine.refresh(), /Nothing is read: PAGE_GUARD_OFFLINE is set/);
      await assert.rejects(engine.destroy(), /Nothing is deleted: PAGE_GUARD_OFFLINE is set/);
      assert.equal(sim.journal.length, length);
    });
  });
}
