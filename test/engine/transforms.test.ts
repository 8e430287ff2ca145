import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "./real-engine/stack";
import { useStories, zoneA, zoneWithPolicy } from "./real-engine/story";

const policy = `new CspPolicy("csp", {
  zoneId: "${zoneA}",
  description: "checkout",
  action: "log",
  expression: "true",
  directives: { "script-src": ["'self'"] },
});`;

/** Writes the program with a transform, whose body the engine runs for each CspPolicy. */
function transform(stack: Stack, body: string): void {
  const text = `const pulumi = require("@pulumi/pulumi");
const { CspPolicy } = require("pulumi-page-guard");
const house = new pulumi.ComponentResource("house:index:House", "house");
pulumi.runtime.registerResourceTransform(({ type, props, opts }) => {
  if (type !== "pulumi-nodejs:dynamic/page-guard:CspPolicy") return undefined;
  ${body}
});
${policy}
`;
  writeFileSync(join(stack.place.project, "index.js"), text);
}

describe("On the engine: resource transforms", function () {
  const begin = useStories(this);

  it("given a policy, when a transform makes it invalid, makes it secret or changes its parent, then the preview names the wrong property, the secret is nowhere, and the next preview is empty", async () => {
    const { sim, stack } = await begin({ [zoneA]: zoneWithPolicy });
    transform(stack, `return { props: { ...props, action: "block" }, opts };`);
    const refused = await stack.fails("preview");
    assert.match(refused, /CspPolicy resource 'csp' has a problem: action: expected one of .*got "block"/);
    assert.equal(sim.journal.length, 0);

    // The recipe of docs/resource-options.md.
    transform(
      stack,
      `const directives = { "script-src": ["https://hush.example.com"] };
  return {
    props: { ...props, directives: pulumi.secret(directives) },
    opts: { ...pulumi.mergeOptions(opts, { additionalSecretOutputs: ["value"] }), parent: house },
  };`,
    );
    await stack.up();
    assert.doesNotMatch(stack.state()["csp"]?.urn ?? assert.fail(), /House/, "the parent cannot change");
    assert.ok(sim.zone(zoneA).policies.some(({ value }) => value === "script-src https://hush.example.com"));
    assert.doesNotMatch(readFileSync(stack.checkpoint, "utf8"), /hush/);
    await stack.expectEmptyPreview();
    assert.doesNotMatch(stack.said, /hush/);
  });
});
