import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import Ajv from "ajv";
import { parse as parseYaml } from "yaml";

const schemaUrl =
  "https://raw.githubusercontent.com/pulumi/pulumi-kubernetes-operator/v2.9.0/deploy/crds/pulumi.com_stacks.yaml";
const schemaSha256 = "d8ce0513bb77d5d57753e521fd42e87a87bdaf7abda1be2584aa23c1c03ea290";

interface Stack {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly stack: string;
    readonly preview?: boolean;
    readonly prerequisites?: readonly { readonly name: string }[];
    readonly envRefs: Readonly<Record<string, object>>;
  };
}

describe("The Stacks of the Pulumi Kubernetes Operator", () => {
  const file = resolve(__dirname, "../../../examples/fleet/kubernetes/stacks.yaml");
  const { items }: { items: readonly Stack[] } = parseYaml(readFileSync(file, "utf8"));

  it("apply each zone after the previous wave, preview it each night, and send the token to one base URL only", () => {
    const told = items.map(({ metadata, spec: { preview = false, prerequisites = [] } }) =>
      [metadata.name, preview, ...prerequisites.map(({ name }) => name)].join(" "),
    );
    const test = ["shop-test false", "shop-test-drift true"];
    assert.deepEqual(told, [...test, "shop-de false shop-test", "shop-de-drift true"]);
    const names = `PAGE_GUARD_BASE_URL PAGE_GUARD_API_TOKEN PULUMI_CONFIG_PASSPHRASE PAGE_GUARD_MAX_REQUESTS_PER_5M`;
    for (const { spec } of items) assert.equal(Object.keys(spec.envRefs).join(" "), names);
  });

  it("match the operator's published schema, without other fields", async function () {
    const schema = await operatorSchema().catch((error: Error) => {
      console.warn(`\n  !! SKIPPED: the schema of the operator is out of reach: ${error.message}\n`);
      return this.skip();
    });
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(Object(closed(schema)));
    for (const stack of items) assert.ok(validate(stack), JSON.stringify(validate.errors));
    const [first] = items;
    assert.equal(validate({ ...first, spec: { ...first?.spec, refesh: true } }), false);
  });
});

/** Returns the operator's schema, which is downloaded once and stored beside the engine. */
async function operatorSchema(): Promise<object> {
  const cache = await import(pathToFileURL(resolve("tools/setup/engine-cache.mjs")).href);
  const file: string = cache.publishedSchema("pulumi.com_stacks-2.9.0.yaml");
  if (!existsSync(file)) {
    const answer = await fetch(schemaUrl, { signal: AbortSignal.timeout(20_000) });
    assert.equal(answer.status, 200, schemaUrl);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, await answer.text());
  }
  const text = readFileSync(file, "utf8");
  assert.equal(createHash("sha256").update(text).digest("hex"), schemaSha256, file);
  const { versions } = parseYaml(text).spec;
  return versions.find(({ name }: { name: string }) => name === "v1").schema.openAPIV3Schema;
}

/** Makes unknown fields faults, which Kubernetes ignores silently, and converts Kubernetes' notation for "int or string". */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, closed(value)]);
  const copy: Record<string, unknown> = Object.fromEntries(entries);
  if (copy["x-kubernetes-int-or-string"] === true) return { type: ["integer", "string"] };
  const isOpen = "additionalProperties" in copy || "x-kubernetes-preserve-unknown-fields" in copy;
  // The schema does not describe metadata.
  return copy["type"] === "object" && "properties" in copy && !isOpen
    ? { ...copy, additionalProperties: false }
    : copy;
}
