import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import Ajv from "ajv";
import { parseAllDocuments, parse as parseYaml } from "yaml";

const script = resolve("examples/fleet/kubernetes/stacks.mjs");
const schemaUrl =
  "https://raw.githubusercontent.com/pulumi/pulumi-kubernetes-operator/v2.9.0/deploy/crds/pulumi.com_stacks.yaml";
const schemaSha256 = "d8ce0513bb77d5d57753e521fd42e87a87bdaf7abda1be2584aa23c1c03ea290";

interface Stack {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly stack: string;
    readonly preview?: boolean;
    readonly prerequisites?: readonly { readonly name: string }[];
    readonly envRefs: Readonly<Record<string, { readonly literal?: { readonly value: string } }>>;
  };
}

describe("Stacks of the Pulumi Kubernetes Operator", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-kubernetes-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function stacksOf(zones?: readonly object[]): readonly Stack[] {
    const file = join(folder, "zones.yaml");
    if (zones) writeFileSync(file, JSON.stringify(zones));
    const text = execFileSync(process.execPath, [script, ...(zones ? [file] : [])], { encoding: "utf8" });
    return parseAllDocuments(text).map((document) => document.toJS());
  }

  const hostile = [
    { id: "a".repeat(32), name: "Shop_DE.example", wave: 3 },
    { id: "b".repeat(32), name: "shop-de.example", wave: 3 },
    { id: "c".repeat(32), name: "x".repeat(63), stage: "validation" },
    { id: "d".repeat(32), name: `${"x".repeat(62)}y`, stage: "finished" },
    { id: "e".repeat(32), name: "trailing-" },
  ];

  it("apply each zone and preview it each night; those of a wave wait for the whole wave before", () => {
    const stacks = stacksOf();
    assert.deepEqual(
      stacks.map(({ metadata, spec }) => [metadata.name, spec.preview === true, spec.prerequisites ?? []]),
      [
        ["shop-test", false, []],
        ["shop-test-drift", true, []],
        ["shop-de", false, [{ name: "shop-test" }]],
        ["shop-de-drift", true, []],
        ["shop-fr", false, [{ name: "shop-de" }]],
        ["shop-fr-drift", true, []],
      ],
    );
    assert.deepEqual(stacks[0]?.spec.envRefs["PAGE_GUARD_MAX_REQUESTS_PER_5M"]?.literal?.value, "400");
  });

  it("have names that Kubernetes takes, one each, whatever the zones are called", () => {
    const stacks = stacksOf(hostile);
    const names = stacks.map(({ metadata }) => metadata.name);
    assert.equal(new Set(names).size, names.length);
    for (const name of names) assert.match(name, /^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$/);
    for (const { spec } of stacks)
      for (const { name } of spec.prerequisites ?? []) assert.ok(names.includes(name), name);
  });

  it("never apply a zone whose migration would finish", () => {
    const finishing = stacksOf(hostile).filter(({ spec }) => spec.stack.endsWith("xy"));
    assert.deepEqual(
      finishing.map(({ spec }) => spec.preview),
      [true],
    );
  });

  it("are what the operator's published schema takes, and it takes no other field", async function () {
    const schema = await operatorSchema().catch((error: Error) => {
      console.warn(`\n  !! SKIPPED: the schema of the operator is out of reach: ${error.message}\n`);
      return this.skip();
    });
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(Object(closed(schema)));
    for (const stack of [...stacksOf(), ...stacksOf(hostile)])
      assert.ok(validate(stack), JSON.stringify(validate.errors));
    const [first] = stacksOf();
    assert.equal(validate({ ...first, spec: { ...first?.spec, refesh: true } }), false);
  });
});

/** Downloaded once, and kept beside the engine. */
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

/** Kubernetes drops unknown fields in silence; here they are faults. What is "int or string" it says in its own way. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  if (copy["x-kubernetes-int-or-string"] === true) return { type: ["integer", "string"] };
  const isOpen = "additionalProperties" in copy || "x-kubernetes-preserve-unknown-fields" in copy;
  // The schema leaves metadata to Kubernetes.
  return copy["type"] === "object" && "properties" in copy && !isOpen
    ? { ...copy, additionalProperties: false }
    : copy;
}
