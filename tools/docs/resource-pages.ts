import { type FindingMeaning, findingTable } from "../../provider/src/errors/findings";
import { textOf } from "../../test/workspace/structure/source-files";
import { migrationTable } from "./migration-table";
import { blockOf } from "./shown-files";

/** Parts of the provider plugin's schema that the pages use. Types and doc comments of the sources make up the schema. */
interface Schema {
  readonly resources: Readonly<
    Record<
      string,
      ObjectSchema & { readonly inputProperties: Properties; readonly requiredInputs: readonly string[] }
    >
  >;
  readonly types: Readonly<
    Record<string, Partial<ObjectSchema> & { readonly enum?: readonly { readonly value: string }[] }>
  >;
}

interface ObjectSchema {
  readonly description: string;
  readonly properties: Properties;
  readonly required: readonly string[];
}

type Properties = Readonly<Record<string, PropertySchema>>;

interface PropertySchema {
  readonly type?: string;
  readonly $ref?: string;
  readonly oneOf?: readonly PropertySchema[];
  readonly items?: PropertySchema;
  readonly additionalProperties?: PropertySchema;
  readonly description?: string;
}

export const schema: Schema = JSON.parse(textOf("provider/plugin/schema.json"));
const typesByName = new Map(Object.entries(schema.types).map(([token, type]) => [nameOf(token), type]));

/** Facts about a resource that no source contains. */
interface Subject {
  /** Folder of the resource's example in `examples`. */
  readonly example: string;
  /** The resource whose page shows that example. */
  readonly exampleOf?: string;
  readonly afterDestroy?: string;
  readonly importId?: string;
  /** Codes that the resource can report. For a single policy, this leaves out codes about sets. */
  readonly findings: RegExp;
  /** Links to pages with more about the resource. */
  readonly more: readonly string[];
}

export const subjects: Readonly<Record<string, Subject>> = {
  PageGuardSettings: {
    example: "quickstart",
    exampleOf: "CspPolicy",
    importId: "ZONE",
    findings: /^settings-/,
    more: ["[Adoption and drift](../adoption.md)"],
  },
  CspPolicy: {
    example: "quickstart",
    importId: "ZONE/POLICY",
    findings: /^csp-(?!undeclared|set-incomplete)/,
    more: [
      "[When to use which of the two](../guides/policy-sets.md#when-to-use-which)",
      "[Lint rules](../csp-lint-rules.md)",
      "[First policy, from log to allow](../guides/first-policy.md)",
      "[The shop is broken](../guides/shop-is-broken.md)",
    ],
  },
  CspPolicySet: {
    example: "csp-rollout",
    importId: "ZONE",
    findings: /^csp-/,
    more: ["[Undeclared policies, moves and interrupted updates](../guides/policy-sets.md)"],
  },
  ManagedWafEntrypoint: {
    example: "waf-entrypoint",
    importId: "ZONE",
    findings: /^waf-/,
    more: ["[Unmanaged rules](../adoption.md#unmanaged-rules)", "[Limits](../adoption.md#limits)"],
  },
  WafMigration: {
    example: "waf-migration",
    findings: /^migration-/,
    afterDestroy: "[Every way to destroy it, and what the CLI says](../waf-migration-refusals.md).",
    more: ["[Migrate one WAF](../guides/migrate.md)"],
  },
};

/** Type that every resource and function accepts. It has its own page. */
const connection = "ConnectionSettings";

/** Returns the text of each file of docs/resources by name, made from the current sources. */
export function resourcePages(): Record<string, string> {
  const homes = new Map<string, string>();
  const pages = Object.keys(subjects).map((name) => [fileOf(name), resourcePage(name, homes)]);
  return Object.fromEntries([["README.md", resourcesPage()], ...pages]);
}

/** Returns the file name of a page, such as `csp-policy-set.md`. */
function fileOf(resource: string): string {
  return `${resource.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase()}.md`;
}

/** Returns the page of a resource. The first page that needs a type describes it; `homes` tells later pages where to link. */
function resourcePage(name: string, homes: Map<string, string>): string {
  const subject = subjects[name];
  const resource = schema.resources[`page-guard:index:${name}`];
  if (subject === undefined || resource === undefined) throw new Error(`There is no resource ${name}`);
  const { example, exampleOf, afterDestroy, importId, more } = subject;
  const { inputProperties: inputs, properties } = resource;
  const onDestroy = inputs["onDestroy"] ? "onDestroy" : "allowForget";
  // An output may have the name of an argument but another type, such as `impact`.
  const outputs = Object.entries(properties).filter(
    ([key, output]) => inputs[key] === undefined || typeOf(inputs[key]) !== typeOf(output),
  );
  const linked = { ...inputs[onDestroy], description: "[On destroy](#on-destroy)." };
  const types = typesIn([...Object.values(inputs), ...outputs.map(([, output]) => output)]).filter(
    (type) => !homes.has(type.toLowerCase()),
  );
  const elsewhere = new Map(homes);
  for (const type of types) homes.set(type.toLowerCase(), fileOf(name));
  const all: Readonly<Record<string, FindingMeaning>> = findingTable;
  const codes = Object.keys(all).filter((code) => subject.findings.test(code));
  const adopted = codes.find((code) => code.endsWith("-adopted")) ?? "";
  const parts = [
    `# ${name}`,
    plain(resource.description),
    "## Example",
    exampleOf
      ? `[The example of \`${exampleOf}\`](${fileOf(exampleOf)}#example) declares both resources.`
      : `From [examples/${example}](../../examples/${example}), which says how to run it:\n\n${blockOf(`examples/${example}/index.ts`)}`,
    "## Arguments",
    table("argument", { ...inputs, [onDestroy]: linked }, resource.requiredInputs),
    "## Outputs",
    "All arguments, and:",
    table("output", Object.fromEntries(outputs)),
    ...(name === "WafMigration" ? migrationTable() : []),
    "## On destroy",
    `\`${onDestroy}\`: ${sentence(inputs[onDestroy]?.description).replace(/^On destroy: /, "")}`,
    afterDestroy,
    "## Adopting",
    `The preview reports an adoption with the finding \`${adopted}\`: ${all[adopted]?.means ?? ""} [How adoption works](../adoption.md).`,
    importId && `With the [provider plugin](../languages.md#import) the id of an import is \`${importId}\`.`,
    "## Findings",
    `\`${codes.sort().join("`, `")}\`.`,
    "[Findings](../findings.md) explains each of them, and those that every resource can have, such as `input-invalid`. [Errors](../errors.md) explains errors of requests.",
    types.length > 0 ? "## Types" : undefined,
    ...types.flatMap(typeSection),
    "## More",
    more.map((link) => `- ${link}`).join("\n"),
  ];
  const text = parts.filter((part) => part !== undefined).join("\n\n");
  return `${text.replace(/\]\(#(\w+)\)/g, (_, anchor: string) => `](${elsewhere.get(anchor) ?? ""}#${anchor})`)}\n`;
}

/** Returns the page that lists all resources. */
function resourcesPage(): string {
  const rows = Object.keys(subjects).map((name) => {
    const description = plain(schema.resources[`page-guard:index:${name}`]?.description);
    return `| [\`${name}\`](${fileOf(name)}) | ${description.split(/(?<=\.)\s/)[0]} |`;
  });
  return `# Resources\n\n| resource | what it is |\n|---|---|\n${rows.join("\n")}\n`;
}

function typeSection(name: string): (string | undefined)[] {
  const { description, properties = {}, required } = typesByName.get(name) ?? {};
  return [`### ${name}`, description && sentence(description), table("field", properties, required)];
}

function table(head: string, properties: Properties, required: readonly string[] = []): string {
  const lines = Object.entries(properties).map(([key, property]) => {
    const meaning = `${required.includes(key) ? "Required. " : ""}${sentence(property.description)}`.trim();
    return `| \`${key}\` | ${typeOf(property)} | ${meaning.replaceAll("|", "\\|")} |`;
  });
  return [`| ${head} | type | meaning |`, "|---|---|---|", ...lines].join("\n");
}

function typeOf({ $ref, oneOf, items, additionalProperties, type }: PropertySchema): string {
  if (oneOf !== undefined) return typeOf(oneOf.find((one) => one.$ref !== undefined) ?? {});
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (additionalProperties !== undefined) return `map of ${typeOf(additionalProperties)}`;
  if ($ref === undefined) return type ?? "any";
  const name = nameOf($ref);
  if (name === connection) return `[${connection}](../configuration.md)`;
  const known = typesByName.get(name);
  if (known?.enum !== undefined) return known.enum.map(({ value }) => `\`"${value}"\``).join(", ");
  return known?.properties === undefined ? "any" : `[${name}](#${name.toLowerCase()})`;
}

/** Returns the types with fields, in the order in which a reader finds them on the page. */
function typesIn(properties: readonly PropertySchema[], found: string[] = []): string[] {
  for (const { $ref = "", oneOf = [], items, additionalProperties } of properties) {
    const inner = [...oneOf, items, additionalProperties].filter((part) => part !== undefined);
    typesIn(inner, found);
    const name = nameOf($ref);
    const fields = typesByName.get(name)?.properties;
    if (fields === undefined || found.includes(name) || name === connection) continue;
    found.push(name);
    typesIn(Object.values(fields), found);
  }
  return found;
}

/** Returns the name of a type in its token, or in a reference to it. */
function nameOf(token: string): string {
  return token.replace(/^.*[:/]/, "");
}

/** Returns a doc comment without the line breaks inside its paragraphs. */
function plain(text = ""): string {
  return text.replace(/(?<!\n)\n(?!\n)/g, " ").trim();
}

/** Returns a description on one line, for the cell of a table. */
function sentence(text?: string): string {
  return plain(text).replace(/\n+/g, " ");
}
