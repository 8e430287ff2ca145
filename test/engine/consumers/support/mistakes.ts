/** A statement that a compiler has to refuse. */
export interface Mistake {
  readonly title: string;
  readonly statement: string;
  /** The text that it underlines, or how that begins. */
  readonly at: string;
  /** The last line of what it says. */
  readonly says: string;
}

const policy = (args: string): string => `new CspPolicy("p", { zoneId, ${args} });`;
const entry = (args: string): string =>
  `new CspPolicySet("s", { zoneId, policies: { checkout: { ${args} } } });`;
const rule = (args: string): string => `new ManagedWafEntrypoint("w", { zoneId, rules: [{ ${args} }] });`;
const migration = (args: string): string => `new WafMigration("m", { zoneId, ${args} });`;

const actions = `'Input<"log" | "block" | "execute" | "skip" | "challenge" | "js_challenge" | "managed_challenge" | "compress_response" | "ddos_dynamic" | "force_connection_close" | "log_custom_field" | ... 6 more ... | "set_config">'`;
const text = 'description: "x", action: "log", expression: "true"';

/** Each with what TypeScript 6 says of it. */
export const mistakes: readonly Mistake[] = [
  {
    title: "a policy without a description",
    statement: policy('action: "log", expression: "true", value: "img-src *"'),
    at: "{ zoneId",
    says: `Property 'description' is missing in type '{ zoneId: string; action: "log"; expression: string; value: string; }' but required in type 'CspPolicyWithValue<"log">'.`,
  },
  {
    title: "a policy without an expression",
    statement: policy('description: "x", action: "log", value: "img-src *"'),
    at: "{ zoneId",
    says: `Property 'expression' is missing in type '{ zoneId: string; description: string; action: "log"; value: string; }' but required in type 'CspPolicyWithValue<"log">'.`,
  },
  {
    title: "a policy without a text",
    statement: policy(text),
    at: "{ zoneId",
    says: `Property 'directives' is missing in type '{ zoneId: string; description: string; action: "log"; expression: string; }' but required in type 'CspPolicyWithDirectives<"log">'.`,
  },
  {
    title: "a policy with both texts",
    statement: policy(`${text}, value: "img-src *", directives: { "img-src": ["*"] }`),
    at: "{ zoneId",
    says: `Type '{ "img-src": string[]; }' is not assignable to type 'undefined'.`,
  },
  {
    title: "a policy with an action that there is not",
    statement: policy('description: "x", action: "block", expression: "true", value: "img-src *"'),
    at: "action",
    says: `Type '"block"' is not assignable to type 'Input<CspAction>'.`,
  },
  {
    title: "a misspelt directive",
    statement: policy(`${text}, directives: { "script-scr": ["'self'"] }`),
    at: `"script-scr"`,
    says: `Object literal may only specify known properties, and '"script-scr"' does not exist in type 'Input<CspDirectives>'.`,
  },
  {
    title: "sources in one text",
    statement: policy(`${text}, directives: { "img-src": "*" }`),
    at: `"img-src"`,
    says: "Type 'string' is not assignable to type 'Input<readonly Input<string>[]> | undefined'.",
  },
  {
    title: "a word in place of a boolean",
    statement: policy(`${text}, value: "img-src *", enabled: "yes"`),
    at: "enabled",
    says: "Type 'string' is not assignable to type 'Input<boolean | undefined>'.",
  },
  {
    title: "an entry with an action that there is not",
    statement: entry('action: "block", expression: "true", value: "img-src *"'),
    at: "checkout",
    says: `Type '"block"' is not assignable to type 'Input<CspAction> | undefined'.`,
  },
  {
    title: "an entry with a misspelt directive",
    statement: entry(`action: "log", expression: "true", directives: { "script-scr": ["'self'"] }`),
    at: `"script-scr"`,
    says: `Object literal may only specify known properties, and '"script-scr"' does not exist in type 'Input<CspDirectives>'.`,
  },
  {
    title: "an execute rule without actionParameters",
    statement: rule('action: "execute", expression: "true"'),
    at: "{ action",
    says: `Property 'actionParameters' is missing in type '{ action: "execute"; expression: string; }' but required in type 'WafExecuteRuleArgs'.`,
  },
  {
    title: "a rule with an action that there is not",
    statement: rule('action: "exceute", expression: "true", actionParameters: { id: "1" }'),
    at: "action",
    says: `Type '"exceute"' is not assignable to type ${actions}. Did you mean '"execute"'?`,
  },
  {
    title: "a skip rule without an expression",
    statement: rule('action: "skip", actionParameters: { extra: { ruleset: "current" } }'),
    at: "{ action",
    says: `Property 'expression' is missing in type '{ action: "skip"; actionParameters: { extra: { ruleset: string; }; }; }' but required in type 'WafOtherRuleArgs'.`,
  },
  {
    title: "an override without the id of its rule",
    statement: rule(
      'action: "execute", expression: "true", actionParameters: { id: "1", overrides: { rules: [{ action: "log" }] } }',
    ),
    at: "{ action",
    says: "Property 'id' is missing in type '{ action: string; }' but required in type 'WafRuleOverrideArgs'.",
  },
  {
    title: "settings without enabled",
    statement: `new PageGuardSettings("s", { zoneId });`,
    at: "{ zoneId",
    says: "Property 'enabled' is missing in type '{ zoneId: string; }' but required in type 'PageGuardSettingsArgs'.",
  },
  {
    title: "a migration to a stage that there is not",
    statement: migration('stage: "finish", confirm: zoneId'),
    at: "stage",
    says: `Type '"finish"' is not assignable to type 'Input<MigrationStage>'. Did you mean '"finished"'?`,
  },
  {
    title: "a migration that nobody has confirmed",
    statement: migration('stage: "finished"'),
    at: "{ zoneId",
    says: `Property 'confirm' is missing in type '{ zoneId: string; stage: "finished"; }' but required in type 'WafMigrationArgs<string>'.`,
  },
  {
    title: "a migration's rule with an action that there is not",
    statement: migration(
      'stage: "finished", confirm: zoneId, configuration: { name: "x", rules: [{ action: "exceute", expression: "true" }] }',
    ),
    at: "action",
    says: `Type '"exceute"' is not assignable to type ${actions}. Did you mean '"execute"'?`,
  },
];
