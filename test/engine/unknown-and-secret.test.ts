import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { entrypoint, outputOf, policy, secret, settings, text } from "./real-engine/declaration";
import { changesOf } from "./real-engine/preview";
import { useStories, zoneA, zoneWithPolicy } from "./real-engine/story";
import { runManaged, skipHealth } from "./real-engine/three-resources";

describe("On the engine: unknown and secret values", function () {
  const begin = useStories(this);

  it("given inputs that are outputs of a resource that does not exist yet, when they are previewed and applied, then the preview skips them and the update uses them", async () => {
    const { sim, stack } = await begin({ [zoneA]: zoneWithPolicy });

    const declare = (description: string) =>
      stack.declare({
        watch: settings({ zoneId: zoneA, enabled: true }),
        csp: policy({ zoneId: outputOf("watch", "id"), description }),
        other: policy({
          zoneId: zoneA,
          expression: text('http.host eq "', outputOf("csp", "policyId"), '.example.com"'),
          directives: {
            "script-src": ["'self'", text("https://", outputOf("csp", "policyId"), ".example.com")],
          },
          lint: "off",
          // An output that is not in the state is undefined, not unknown: else every preview would show a change.
          enabled: outputOf("csp", "enabled"),
          onDestroy: outputOf("csp", "onDestroy"),
        }),
        waf: entrypoint({
          zoneId: outputOf("watch", "id"),
          rules: [skipHealth, { ...runManaged, description: text("for ", outputOf("csp", "policyId")) }],
        }),
      });
    declare("first edition");
    const created = ["csp", "other", "waf", "watch"].map((name) => `create ${name}`);
    assert.deepEqual(changesOf(await stack.preview()), created);
    await stack.up();
    const { policies, entrypoint: list } = sim.zone(zoneA);
    const [, csp, other] = policies;
    assert.equal(other?.expression, `http.host eq "${csp?.id}.example.com"`);
    assert.equal(other?.value, `script-src 'self' https://${csp?.id}.example.com`);
    assert.equal(list?.rules[1]?.description, `for ${csp?.id}`);
    await stack.expectEmptyPreview();
  });

  it("given a wrong value that is unknown in the preview, when it is previewed, then the rest is checked, and the skipped checks are reported; when it is applied, then it fails before that resource's first change", async () => {
    const { sim, stack } = await begin({ [zoneA]: zoneWithPolicy });
    stack.declare({
      watch: settings({ zoneId: zoneA, enabled: true }),
      csp: policy({
        zoneId: outputOf("watch", "updatedAt"),
        action: "allow",
        expression: "http.host eq shop.example.com",
        directives: {
          "x-our-own": ["'self'", text("https://", outputOf("watch", "updatedAt"), ".example.com")],
          "base-uri": ["'self'"],
        },
      }),
    });
    const preview = await stack.preview();
    assert.deepEqual(changesOf(preview), ["create csp", "create watch"]);
    assert.deepEqual(
      preview.messages
        .filter(({ name, severity }) => name === "csp" && severity === "warning")
        .map((message) => /\[([\w-]+)\]\s*$/.exec(message.text)?.[1])
        .sort(),
      ["csp-impact-unknown", "csp-lint-security-missing-script-src", "csp-lint-unknown-directive"],
    );
    assert.match(await stack.upFails(), /zoneId: expected a zone id \(32 hexadecimal characters\)/);
    assert.equal(sim.changing({ path: "policies" }).length, 0);
  });

  it("given secret inputs, when they are applied, refreshed, edited and destroyed, then the backend holds only their ciphertext", async () => {
    const { sim, stack } = await begin({ [zoneA]: zoneWithPolicy });

    const declare = (edition: string) =>
      stack.declare({
        csp: policy({
          zoneId: zoneA,
          description: secret(`hush-${edition}-description`),
          value: secret(`script-src https://hush-${edition}.example.com`),
          lint: "off",
        }),
        waf: entrypoint({
          zoneId: zoneA,
          rules: [{ ...runManaged, expression: secret(`http.host eq "hush-${edition}.example.com"`) }],
        }),
      });
    declare("one");
    await stack.up();
    assert.equal(sim.zone(zoneA).policies.at(-1)?.value, "script-src https://hush-one.example.com");
    await stack.refresh();
    await stack.expectEmptyPreview();
    declare("two");
    const shown = (await stack.run("preview", "--diff")).output;
    await stack.up();
    assert.equal(sim.zone(zoneA).policies.at(-1)?.value, "script-src https://hush-two.example.com");
    await stack.expectEmptyPreview();
    const checkpoint = readFileSync(stack.checkpoint, "utf8");
    assert.ok(checkpoint.includes("ciphertext"));
    for (const hidden of ["hush-one", "hush-two"]) {
      assert.ok(!checkpoint.includes(hidden), `${hidden} is in the checkpoint`);
      assert.ok(!shown.includes(hidden), `the preview shows ${hidden}`);
    }
    await stack.destroy();
  });
});
