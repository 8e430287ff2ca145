/** Names of lists of words, as TypeScript has them: what a schema holds is just the words. */
const wordLists = {
  AttemptOutcome: ["accepted", "notAccepted"],
  CookieSameSite: ["lax", "strict", "none"],
  CookieType: ["first_party", "unknown"],
  CspAction: ["log", "allow", "add_reporting_directives"],
  EntrypointOnDestroy: ["restore", "remove", "keep"],
  FindingLevel: ["warn", "error", "off"],
  ForeignRules: ["refuse", "keep", "overwrite"],
  RuleOrder: ["afterForeign", "beforeForeign"],
  ListDirection: ["asc", "desc"],
  ListOrder: ["first_seen_at", "last_seen_at"],
  MigrationStage: ["validation", "finished"],
  OtherPolicies: ["keep", "refuse", "delete"],
  PolicyOnDestroy: ["delete", "keep"],
  Service: ["page_guard", "page_shield"],
  SettingsOnDestroy: ["restore", "disable", "keep"],
};

/**
 * Types that have no name of their own in TypeScript, or one that would be another's here: in other languages a resource's
 * rules and those of a function are one type, so that they fit into each other.
 */
const names = {
  ConnectionArgs: "ConnectionSettings",
  CspPolicySetEntryWithValue: "CspPolicySetEntry",
  Omit: "InitialSettings",
  Rule: "WafRule",
  ActionParameters: "WafActionParameters",
  Overrides: "WafOverrides",
  RuleOverride: "WafRuleOverride",
  "rule reason": "LintRuleOff",
};

const anyValue = { $ref: "pulumi.json#/Any" };

/** Turns JSON schemas into the types of a Pulumi schema, of which those with a name are collected in `types`. */
export class TypeRegistry {
  types = {};

  constructor(packageName) {
    this.token = (name) => `${packageName}:index:${name}`;
  }

  /** The properties of an object, each with what is written of it. */
  propertiesOf({ properties }) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, { description, deprecationMessage, ...schema }]) => [
        name,
        {
          ...this.typeOf(schema),
          ...(description && { description }),
          ...(deprecationMessage && { deprecationMessage }),
        },
      ]),
    );
  }

  typeOf(schema) {
    if (schema.oneOf) return this.choice(schema.oneOf);
    if (schema.enum) return this.words(schema.enum);
    if (schema.type === "array") return { type: "array", items: this.typeOf(schema.items) };
    if (schema.type === "object" && schema.properties === undefined) {
      return { type: "object", additionalProperties: this.typeOf(schema.additionalProperties) };
    }
    if (schema.type === "object") return this.object(schema);
    return schema.type === undefined ? anyValue : { type: schema.type };
  }

  choice(parts) {
    const isText = ({ type }) => type === "string";
    const types = [
      // Words and any other text are any text.
      ...(parts.some(isText) ? [{ type: "string" }] : []),
      ...parts.filter((part) => !isText(part)).map((part) => this.typeOf(part)),
    ];
    return types.length === 1 ? types[0] : { oneOf: types };
  }

  /** A value that only the program knows fits as a text, and the preview checks it. */
  words(list) {
    const sorted = [...list].sort().join();
    const [name] = Object.entries(wordLists).find(([, words]) => [...words].sort().join() === sorted) ?? [];
    if (!name) throw new Error(`Give the words ${list.join(", ")} a name in tools/schema/type-registry.mjs.`);
    this.types[this.token(name)] = { type: "string", enum: wordLists[name].map((value) => ({ value })) };
    return { type: "string", oneOf: [{ type: "string" }, { $ref: `#/types/${this.token(name)}` }] };
  }

  object(schema) {
    const key = schema.title ?? Object.keys(schema.properties).join(" ");
    const name = names[key] ?? schema.title?.replace(/Args$/, "");
    if (!name) throw new Error(`Give the type of ${key} a name in tools/schema/type-registry.mjs.`);
    const token = this.token(name);
    const known = this.types[token];
    const properties = this.propertiesOf(schema);
    const required = schema.required ?? [];
    // What a program declares and what it reads are one type: some of it is there in one of the two only.
    this.types[token] = {
      type: "object",
      ...(schema.typeDescription && { description: schema.typeDescription }),
      ...known,
      properties: { ...properties, ...known?.properties },
      required: known ? known.required.filter((one) => required.includes(one)) : required,
    };
    return { $ref: `#/types/${token}` };
  }
}
