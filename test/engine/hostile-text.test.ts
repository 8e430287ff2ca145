import assert from "node:assert/strict";
import { harmIn, hostileText } from "../proof/hostile/hostile-text";
import { Poisoner } from "../proof/hostile/poisoner";
import { each } from "../support/each";
import { entrypoint, migration, policy } from "./real-engine/declaration";
import { useStories, zoneA, zoneB, zoneWithPolicy } from "./real-engine/story";
import { runManaged, unmanagedRule } from "./real-engine/three-resources";

const zone = "/zones/{zone}";
const list = `GET ${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`;

describe("On the engine: hostile text from the service", function () {
  const begin = useStories(this);
  let proxy: Poisoner | undefined;

  afterEach("stop the proxy", () => proxy?.stop());

  it("given names and URLs with commands to terminals, CIs and the engine, when the program is previewed and applied in colours, then they are shown as plain text", async () => {
    const { sim, stack, unmanaged } = await begin({
      [zoneA]: { ...zoneWithPolicy, scripts: 2, entrypoint: { rules: [unmanagedRule] } },
      [zoneB]: { ...zoneWithPolicy, waf: { firewallRules: 2 } },
    });
    const before = sim.zone(zoneA).entrypoint?.rules.map(({ id }) => id) ?? [];
    proxy = await Poisoner.before(sim.url);
    stack.env["PAGE_GUARD_BASE_URL"] = proxy.url;
    proxy.poisons = [
      [`GET ${zone}/page_guard/scripts`, "result[].first_page_url"],
      [list, "result.rules[].description"],
      [list, "result.rules[].expression"],
      [`GET ${zone}/waf_migration/config`, "result.name"],
      [`GET ${zone}/waf_migration/config`, "result.rules[].description"],
      [`GET ${zone}/waf_migration/check`, "result.migration_state"],
    ].map(([operation = "", path = ""]) => ({ operation, path, value: hostileText }));
    const declare = (foreignRules: string) =>
      stack.declare({
        csp: policy({ zoneId: zoneA, action: "allow" }),
        move: migration({ zoneId: zoneB }),
        waf: entrypoint({ zoneId: zoneA, rules: [runManaged], foreignRules }),
      });
    declare("overwrite");
    const previewed = await stack.run("preview", "--color", "always");
    expectHarmless(previewed.output);
    for (const finding of [/would block 1 of/, /FINISHES the WAF migration/, /will be deleted: "Evil/]) {
      assert.match(previewed.output, finding);
    }
    declare("refuse");
    const refused = expectHarmless(await stack.upFails("--color", "always"));
    assert.match(refused, /no resource of this stack declares: "Evil/);
    // Error messages of the service are filtered too.
    const body = { success: false, errors: [{ message: hostileText }], messages: [], result: null };
    proxy.refusal = { operation: list, status: 400, body: JSON.stringify(body) };
    assert.match(expectHarmless(await stack.upFails("--color", "always")), /The service says: "Evil/);
    assert.deepEqual(each(sim.zone(zoneA).entrypoint?.rules, "id"), before);
    unmanaged.expectUntouched();
  });
});

/** Removes the engine's own colours and expects nothing harmful in the rest, which it returns. */
function expectHarmless(output: string): string {
  const text = output.replace(/\p{Cc}\[[\d;]*m/gu, "");
  assert.equal(harmIn(text.replaceAll("\t", " ")), undefined);
  assert.doesNotMatch(text, /^\s*FAKE LINE/m);
  assert.ok(text.length < 30_000, `${text.length} characters`);
  return text.replace(/\s+/g, " ");
}
