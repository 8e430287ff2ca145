import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { invokes } from "../../../provider/src/plugin/invokes";
import { kinds } from "../../../provider/src/resources/kinds";

const root = resolve(__dirname, "../../..");
const file = join(root, "provider/plugin/schema.json");

interface Property {
  readonly description?: string;
  readonly secret?: boolean;
  readonly willReplaceOnChanges?: boolean;
}

interface Resource {
  readonly description?: string;
  readonly inputProperties: Readonly<Record<string, Property>>;
  readonly requiredInputs: readonly string[];
}

interface Schema {
  readonly resources: Readonly<Record<string, Resource>>;
  readonly functions: Readonly<Record<string, { readonly description?: string }>>;
  readonly types: Readonly<Record<string, { readonly enum?: readonly { readonly value: string }[] }>>;
  readonly provider: { readonly inputProperties: Readonly<Record<string, Property>> };
}

describe("The plugin's schema", function () {
  this.timeout(600_000);
  const schema: Schema = JSON.parse(readFileSync(file, "utf8"));

  it("is up to date with the sources", async () => {
    const tool: { pluginSchema(): unknown } = await import(
      pathToFileURL(join(root, "tools/schema/plugin-schema.mjs")).href
    );
    assert.deepEqual(schema, tool.pluginSchema(), "run `npm run schemas`, and commit what it writes");
  });

  it("has every resource with its arguments, and every function, each with a description", () => {
    const { WafMigrationStep, ...others } = kinds;
    const declared = { ...others, WafMigration: WafMigrationStep };
    assert.deepEqual(Object.keys(schema.resources), tokens(declared));
    assert.deepEqual(Object.keys(schema.functions), tokens(invokes));
    for (const [name, load] of Object.entries(declared)) {
      const found = schema.resources[`page-guard:index:${name}`];
      assert.deepEqual(Object.keys(found?.inputProperties ?? {}), Object.keys(load().shape), name);
      for (const input of Object.hasOwn(kinds, name) ? load().replacedBy : []) {
        assert.equal(found?.inputProperties[input]?.willReplaceOnChanges, true, `${name}.${input}`);
      }
    }
    const all = [...Object.values(schema.resources), ...Object.values(schema.functions)];
    assert.ok(all.every(({ description = "" }) => description !== ""));
  });

  it("contains no descriptions from TypeScript's own type library", () => {
    assert.doesNotMatch(readFileSync(file, "utf8"), /Construct a type/);
  });

  it("says which inputs are required, which words they accept, and which inputs are secret", () => {
    const policy = schema.resources["page-guard:index:CspPolicy"];
    assert.deepEqual(policy?.requiredInputs, ["zoneId", "description", "action", "expression"]);
    const days = policy?.inputProperties["minimumLogDays"]?.description ?? "";
    assert.match(days, /^Number of days for which a policy must log/);
    const words = schema.types["page-guard:index:CspAction"]?.enum?.map((word) => word.value);
    assert.deepEqual(words, ["log", "allow", "add_reporting_directives"]);
    const secrets = Object.entries(schema.provider.inputProperties).filter(([, { secret }]) => secret);
    assert.deepEqual(Object.keys(Object.fromEntries(secrets)), ["apiToken"]);
  });
});

function tokens(named: object): string[] {
  return Object.keys(named).map((name) => `page-guard:index:${name}`);
}
