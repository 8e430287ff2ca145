import assert from "node:assert/strict";
import { join } from "node:path";
import { pageGuard } from "../command/support/console";
import { harmIn, hostileText } from "../proof/hostile/hostile-text";
import { Poisoner } from "../proof/hostile/poisoner";
import { component, entrypoint, migration, policy } from "./real-engine/declaration";
import { nameOf } from "./real-engine/preview";
import { useStories, zoneA, zoneB, zoneWithPolicy } from "./real-engine/story";
import { runManaged, unmanagedRule } from "./real-engine/three-resources";

const zone = "/zones/{zone}";
const list = `GET ${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`;

describe("On the engine: text from outside", function () {
  const begin = useStories(this);
  let between: Poisoner | undefined;

  afterEach("what stood between is stopped", () => between?.stop());

  it("given names and URLs that terminals, CIs and the engine would obey, when the program is previewed and applied in colours, then they are shown as plain text", async () => {
    const { sim, stack, unmanaged } = await begin({
      [zoneA]: { ...zoneWithPolicy, scripts: 2, entrypoint: { rules: [unmanagedRule] } },
      [zoneB]: { ...zoneWithPolicy, waf: { firewallRules: 2 } },
    });
    const before = sim.zone(zoneA).entrypoint?.rules.map(({ id }) => id) ?? [];
    between = new Poisoner(sim.url);
    await between.listen();
    stack.env["PAGE_GUARD_BASE_URL"] = between.url;
    between.poisons = [
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
    assert.match(
      expectHarmless(await stack.upFails("--color", "always")),
      /no resource of this stack declares: "Evil/,
    );
    // The last filter holds what the service itself says too.
    const body = { success: false, errors: [{ message: hostileText }], messages: [], result: null };
    between.refusal = { operation: list, status: 400, body: JSON.stringify(body) };
    assert.match(expectHarmless(await stack.upFails("--color", "always")), /The service says: "Evil/);
    assert.deepEqual(
      sim.zone(zoneA).entrypoint?.rules.map(({ id }) => id),
      before,
    );
    unmanaged.expectUntouched();
  });

  it("given names that hold separators of a URN, when they are previewed, applied and compared with the zone, then each finding is at its resource and none is missed", async () => {
    const { sim, stack } = await begin({ [zoneA]: { ...zoneWithPolicy, scripts: 2 } });
    const [team, pages, checkout] = ["team::shop", "pages$of::it", "check::out$csp"];
    const declare = (action: string) =>
      stack.declare({
        [team]: component(),
        [pages]: component({ parent: team }),
        [checkout]: policy({ zoneId: zoneA, action }, { parent: pages }),
        below: policy({ zoneId: zoneA, description: "below" }, { parent: checkout }),
      });
    declare("allow");
    const preview = await stack.run("preview", "--json");
    assert.equal(preview.code, 0, preview.output);
    const { steps, diagnostics }: Review = JSON.parse(preview.stdout);
    const urn = steps.map((step) => step.urn).find((one) => nameOf(one) === checkout);
    assert.ok(urn);
    assert.deepEqual(
      diagnostics.filter(({ message }) => /would block/.test(message)).map((one) => one.urn),
      [urn],
    );
    await stack.up();
    sim.edit(zoneA, ({ policies }) => {
      for (const one of policies.values()) if (one.description !== "unmanaged") one.enabled = false;
    });
    const state = join(stack.place.folder, "state.json");
    assert.equal((await stack.run("stack", "export", "--file", state)).code, 0);
    const drift = await pageGuard(["drift", "--state", state], { env: stack.env });
    assert.deepEqual([drift.code, drift.err], [2, ""]);
    // Two colons begin a command at the beginning of a line only.
    assert.match(drift.out, /check::out\$csp enabled: true => false/);
    assert.match(drift.out, /below enabled: true => false/);
  });
});

/** The part of `pulumi preview --json` that is used here. */
interface Review {
  readonly steps: readonly { readonly urn: string }[];
  readonly diagnostics: readonly { readonly urn?: string; readonly message: string }[];
}

/** The engine's own colours aside. */
function expectHarmless(output: string): string {
  const text = output.replace(/\p{Cc}\[[\d;]*m/gu, "");
  assert.equal(harmIn(text.replaceAll("\t", " ")), undefined);
  assert.doesNotMatch(text, /^\s*FAKE LINE/m);
  assert.ok(text.length < 30_000, `${text.length} characters`);
  return text.replace(/\s+/g, " ");
}
