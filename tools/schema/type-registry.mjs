/** Names that lists of words have in TypeScript. A schema contains only the words. */
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
 * Names for types whose name in TypeScript is missing, or would clash in the schema. In other languages, the rules of a
 * resource and those of a function share one type, so that programs can pass rules from one to the other.
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

export const tokenOf = (name) => `page-guard:index:${name}`;

const anyValue = { $ref: "pulumi.json#/Any" };

/** Converts JSON schemas into types of a Pulumi schema. Collects the named types in `types`. */
export class TypeRegistry {
  types = {};

  /** Returns the properties of an object, each with its description. */
  propertiesOf({ properties }) {
    const all = Object.entries(properties).map(([name, { description, ...schema }]) => [
      name,
      { ...this.typeOf(schema), ...(description && { description }) },
    ]);
    return Object.fromEntries(all);
  }

  typeOf(schema) {
    if (schema.oneOf) return this.choice(schema.oneOf);
    if (schema.enum) return this.words(schema.enum);
    if (schema.type === "array") return { type: "array", items: this.typeOf(schema.items) };
    if (schema.properties) return this.object(schema);
    if (schema.type === "object")
      return { type: "object", additionalProperties: this.typeOf(schema.additionalProperties) };
    return schema.type === undefined ? anyValue : { type: schema.type };
  }

  choice(parts) {
    const isText = ({ type }) => type === "string";
    const types = [
      // A list of words that also allows other strings is just a string.
      ...(parts.some(isText) ? [{ type: "string" }] : []),
      ...parts.filter((part) => !isText(part)).map((part) => this.typeOf(part)),
    ];
    return types.length === 1 ? types[0] : { oneOf: types };
  }

  /** Returns the type of a list of words. Any string is allowed, too: a program may compute it, and the preview checks it. */
  words(list) {
    const sorted = [...list].sort().join();
    const [name] = Object.entries(wordLists).find(([, words]) => [...words].sort().join() === sorted) ?? [];
    if (!name) throw new Error(`Give the words ${list.join(", ")} a name in tools/schema/type-registry.mjs.`);
    this.types[tokenOf(name)] = { type: "string", enum: wordLists[name].map((value) => ({ value })) };
    return { type: "string", oneOf: [{ type: "string" }, { $ref: `#/types/${tokenOf(name)}` }] };
  }

  object(schema) {
    const key = schema.title ?? Object.keys(schema.properties).join(" ");
    const name = names[key] ?? schema.title?.replace(/Args$/, "");
    if (!name) throw new Error(`Give the type of ${key} a name in tools/schema/type-registry.mjs.`);
    const token = tokenOf(name);
    const known = this.types[token];
    const properties = this.propertiesOf(schema);
    const required = schema.required ?? [];
    // Arguments and outputs share one type, so a property may exist in only one of the two.
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
