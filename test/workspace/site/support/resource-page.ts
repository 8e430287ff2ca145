import type { FindingMeaning } from "../../../../provider/src/errors/findings";
import { blockOf } from "./shown-files";

/** What the pages use of the provider plugin's schema, which is made from the sources' own schemas and doc comments. */
export interface Schema {
  readonly resources: Readonly<Record<string, ResourceSchema>>;
  readonly types: Readonly<Record<string, TypeSchema>>;
}

interface ResourceSchema {
  readonly description: string;
  readonly inputProperties: Readonly<Record<string, PropertySchema>>;
  readonly requiredInputs: readonly string[];
  readonly properties: Readonly<Record<string, PropertySchema>>;
}

interface TypeSchema {
  readonly description?: string;
  readonly enum?: readonly { readonly value: string }[];
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
}

interface PropertySchema {
  readonly type?: string;
  readonly $ref?: string;
  readonly oneOf?: readonly PropertySchema[];
  readonly items?: PropertySchema;
  readonly additionalProperties?: PropertySchema;
  readonly description?: string;
}

/** What no source says of a resource: where its example is, and on which pages more is said. */
interface Subject {
  readonly example: string;
  /** The argument that decides what a destroy does. */
  readonly onDestroy: string;
  readonly afterDestroy?: string;
  readonly adopted: string;
  readonly importId?: string;
  readonly more: readonly string[];
}

export const subjects: Readonly<Record<string, Subject>> = {
  PageGuardSettings: {
    example: "quickstart",
    onDestroy: "onDestroy",
    adopted: "settings-adopted",
    importId: "ZONE",
    more: ["[Adoption and drift](../adoption.md)"],
  },
  CspPolicy: {
    example: "quickstart",
    onDestroy: "onDestroy",
    adopted: "csp-adopted",
    importId: "ZONE/POLICY",
    more: [
      "[When to use which of the two](../guides/policy-sets.md#when-to-use-which)",
      "[Lint rules](../csp-lint-rules.md)",
      "[First policy, from log to allow](../guides/first-policy.md)",
      "[The shop is broken](../guides/shop-is-broken.md)",
    ],
  },
  CspPolicySet: {
    example: "csp-rollout",
    onDestroy: "onDestroy",
    adopted: "csp-adopted",
    importId: "ZONE",
    more: ["[Undeclared policies, moves and interrupted updates](../guides/policy-sets.md)"],
  },
  ManagedWafEntrypoint: {
    example: "waf-entrypoint",
    onDestroy: "onDestroy",
    adopted: "waf-rules-adopted",
    importId: "ZONE",
    more: ["[Unmanaged rules](../adoption.md#unmanaged-rules)", "[Limits](../adoption.md#limits)"],
  },
  WafMigration: {
    example: "waf-migration",
    onDestroy: "allowForget",
    afterDestroy: "[Every way to destroy it, and what the CLI says](../waf-migration-refusals.md).",
    adopted: "migration-adopted",
    more: ["[Migrate one WAF](../guides/migrate.md)"],
  },
};

/** The type that every resource and function takes; a page of its own tells of it. */
const connection = "ConnectionSettings";

/** `csp-policy-set.md`, for example. */
export function fileOf(resource: string): string {
  return `${resource.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase()}.md`;
}

/** The page of a resource. `findings`: those that it can have, by code. */
export function resourcePage(
  name: string,
  schema: Schema,
  findings: Readonly<Record<string, FindingMeaning>>,
): string {
  const subject = subjects[name];
  const resource = schema.resources[`page-guard:index:${name}`];
  if (subject === undefined || resource === undefined) throw new Error(`There is no resource ${name}`);
  const { inputProperties: inputs, properties } = resource;
  const outputs = Object.entries(properties).filter(([key]) => !Object.hasOwn(inputs, key));
  const args = Object.entries(inputs).map(([key, property]) =>
    key === subject.onDestroy
      ? ([key, { ...property, description: "[On destroy](#on-destroy)." }] as const)
      : ([key, property] as const),
  );
  const types = typesIn([...Object.values(inputs), ...outputs.map(([, output]) => output)], schema);
  return `${[
    `# ${name}`,
    plain(resource.description),
    "## Example",
    `From [examples/${subject.example}](../../examples/${subject.example}), which says how to run it:`,
    blockOf(`examples/${subject.example}/index.ts`),
    "## Arguments",
    table("argument", args, resource.requiredInputs, schema),
    "## Outputs",
    "All arguments, and:",
    table("output", outputs, [], schema),
    "## On destroy",
    `\`${subject.onDestroy}\`: ${sentence(inputs[subject.onDestroy]?.description ?? "").replace(/^On destroy: /, "")}`,
    ...(subject.afterDestroy === undefined ? [] : [subject.afterDestroy]),
    "## Adopting",
    `${findings[subject.adopted]?.means ?? ""} The preview says so (\`${subject.adopted}\`). [How adoption works](../adoption.md).`,
    ...(subject.importId === undefined
      ? []
      : [
          `With the [provider plugin](../languages.md#import) the id of an import is \`${subject.importId}\`.`,
        ]),
    "## Findings",
    `${Object.keys(findings)
      .sort()
      .map((code) => `\`${code}\``)
      .join(", ")}.`,
    "What each means and what to do about it, and those that every resource can have, such as `input-invalid`: [findings](../findings.md). Errors of requests: [errors](../errors.md).",
    "## Types",
    ...types.flatMap((type) => typeSection(type, schema)),
    "## More",
    subject.more.map((link) => `- ${link}`).join("\n"),
  ].join("\n\n")}\n`;
}

/** The list of all. */
export function resourcesPage(schema: Schema): string {
  const rows = Object.keys(subjects).map((name) => {
    const [first = ""] = plain(schema.resources[`page-guard:index:${name}`]?.description ?? "").split(
      /(?<=\.)\s/,
    );
    return `| [\`${name}\`](${fileOf(name)}) | ${first} |`;
  });
  return `# Resources\n\n| resource | what it is |\n|---|---|\n${rows.join("\n")}\n`;
}

/** The codes of a resource, by their beginning. A single policy has all but those about what a set leaves undeclared or unfinished. */
export function findingsOf(
  name: string,
  all: Readonly<Record<string, FindingMeaning>>,
): Readonly<Record<string, FindingMeaning>> {
  const beginning: Readonly<Record<string, RegExp>> = {
    PageGuardSettings: /^settings-/,
    CspPolicy: /^csp-(?!undeclared|set-incomplete)/,
    CspPolicySet: /^csp-/,
    ManagedWafEntrypoint: /^waf-/,
    WafMigration: /^migration-/,
  };
  return Object.fromEntries(Object.entries(all).filter(([code]) => beginning[name]?.test(code)));
}

function typeSection(token: string, schema: Schema): string[] {
  const { description, properties = {}, required = [] } = schema.types[token] ?? {};
  return [
    `### ${shortName(token)}`,
    ...(description === undefined ? [] : [sentence(description)]),
    table("field", Object.entries(properties), required, schema),
  ];
}

function table(
  head: string,
  rows: readonly (readonly [string, PropertySchema])[],
  required: readonly string[],
  schema: Schema,
): string {
  return [
    `| ${head} | type | meaning |`,
    "|---|---|---|",
    ...rows.map(([key, property]) => {
      const says = sentence(property.description ?? "");
      const meaning = required.includes(key) ? `Required. ${says}`.trim() : says;
      return `| \`${key}\` | ${typeOf(property, schema)} | ${meaning.replaceAll("|", "\\|")} |`;
    }),
  ].join("\n");
}

function typeOf(property: PropertySchema, schema: Schema): string {
  const { $ref, oneOf, items, additionalProperties, type } = property;
  if (oneOf !== undefined) return typeOf(oneOf.find((one) => one.$ref !== undefined) ?? {}, schema);
  if (items !== undefined) return `list of ${typeOf(items, schema)}`;
  if (additionalProperties !== undefined) return `map of ${typeOf(additionalProperties, schema)}`;
  if ($ref === undefined) return type ?? "any";
  const token = tokenOf($ref);
  if (shortName(token) === connection) return `[${connection}](../configuration.md)`;
  const known = schema.types[token];
  if (known?.enum !== undefined) return known.enum.map(({ value }) => `\`"${value}"\``).join(", ");
  return known?.properties === undefined
    ? "any"
    : `[${shortName(token)}](#${shortName(token).toLowerCase()})`;
}

/** Types with fields, in the order in which a reader meets them. */
function typesIn(properties: readonly PropertySchema[], schema: Schema, found: string[] = []): string[] {
  for (const { $ref, oneOf = [], items, additionalProperties } of properties) {
    const inner = [
      ...oneOf,
      ...(items ? [items] : []),
      ...(additionalProperties ? [additionalProperties] : []),
    ];
    typesIn(inner, schema, found);
    const token = tokenOf($ref ?? "");
    const fields = schema.types[token]?.properties;
    if (fields === undefined || found.includes(token) || shortName(token) === connection) continue;
    found.push(token);
    typesIn(Object.values(fields), schema, found);
  }
  return found;
}

function tokenOf(ref: string): string {
  return decodeURIComponent(ref.replace("#/types/", ""));
}

function shortName(token: string): string {
  return token.replace(/^.*:/, "");
}

/** Doc comments break their lines where they are written. */
function plain(text: string): string {
  return text.replace(/(?<!\n)\n(?!\n)/g, " ").trim();
}

/** A description in a cell of a table. */
function sentence(text: string): string {
  return plain(text).replace(/\n+/g, " ");
}
