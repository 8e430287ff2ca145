/** A statement that a compiler has to refuse. */
export type Mistake = readonly [
  title: string,
  statement: string,
  /** The text that it underlines, or how that begins. */
  at: string,
  /** The last line of what it says. */
  says: string,
];

const policy = (args: string): string => `new CspPolicy("p", { zoneId, ${args} });`;
const entry = (args: string): string =>
  `new CspPolicySet("s", { zoneId, policies: { checkout: { ${args} } } });`;
const rule = (args: string): string => `new ManagedWafEntrypoint("w", { zoneId, rules: [{ ${args} }] });`;
const migration = (args: string): string => `new WafMigration("m", { zoneId, ${args} });`;
const missing = (name: string, given: string, type: string): string =>
  `Property '${name}' is missing in type '{ ${given}; }' but required in type '${type}'.`;
const misfits = (given: string, type: string): string => `Type '${given}' is not assignable to type ${type}.`;

const actions = `'Input<"log" | "block" | "execute" | "skip" | "challenge" | "js_challenge" | "managed_challenge" | "compress_response" | "ddos_dynamic" | "force_connection_close" | "log_custom_field" | ... 6 more ... | "set_config">'`;
const text = 'description: "x", action: "log", expression: "true"';
const misspelt = `directives: { "script-scr": ["'self'"] }`;
const unknown = `Object literal may only specify known properties, and '"script-scr"' does not exist in type 'Input<CspDirectives>'.`;
const exceute = `${misfits('"exceute"', actions)} Did you mean '"execute"'?`;
const shown = 'zoneId: string; description: string; action: "log"; expression: string';

/** Each with what TypeScript 6 says of it. */
export const mistakes: readonly Mistake[] = [
  [
    "a policy without a description",
    policy('action: "log", expression: "true", value: "img-src *"'),
    "{ zoneId",
    missing(
      "description",
      'zoneId: string; action: "log"; expression: string; value: string',
      'CspPolicyWithValue<"log">',
    ),
  ],
  [
    "a policy without a text",
    policy(text),
    "{ zoneId",
    missing("directives", shown, 'CspPolicyWithDirectives<"log">'),
  ],
  [
    "a policy with both texts",
    policy(`${text}, value: "img-src *", directives: { "img-src": ["*"] }`),
    "{ zoneId",
    misfits('{ "img-src": string[]; }', "'undefined'"),
  ],
  [
    "a policy with an action that there is not",
    policy('description: "x", action: "block", expression: "true", value: "img-src *"'),
    "action",
    misfits('"block"', `'Input<"log" | "allow" | "add_reporting_directives">'`),
  ],
  ["a misspelt directive", policy(`${text}, ${misspelt}`), `"script-scr"`, unknown],
  [
    "sources in one text",
    policy(`${text}, directives: { "img-src": "*" }`),
    `"img-src"`,
    misfits("string", "'Input<readonly Input<string>[]> | undefined'"),
  ],
  [
    "a word in place of a boolean",
    policy(`${text}, value: "img-src *", enabled: "yes"`),
    "enabled",
    misfits("string", "'Input<boolean | undefined>'"),
  ],
  [
    "an entry with an action that there is not",
    entry('action: "block", expression: "true", value: "img-src *"'),
    "checkout",
    misfits('"block"', `'Input<"log" | "allow" | "add_reporting_directives"> | undefined'`),
  ],
  [
    "an entry with a misspelt directive",
    entry(`action: "log", expression: "true", ${misspelt}`),
    `"script-scr"`,
    unknown,
  ],
  [
    "an execute rule without actionParameters",
    rule('action: "execute", expression: "true"'),
    "{ action",
    missing("actionParameters", 'action: "execute"; expression: string', "WafExecuteRuleArgs"),
  ],
  [
    "a rule with an action that there is not",
    rule('action: "exceute", expression: "true", actionParameters: { id: "1" }'),
    "action",
    exceute,
  ],
  [
    "an override without the id of its rule",
    rule(
      'action: "execute", expression: "true", actionParameters: { id: "1", overrides: { rules: [{ action: "log" }] } }',
    ),
    "{ action",
    missing("id", "action: string", "WafRuleOverrideArgs"),
  ],
  [
    "a migration to a stage that there is not",
    migration('stage: "finish", confirm: zoneId'),
    "stage",
    `${misfits('"finish"', "'Input<MigrationStage>'")} Did you mean '"finished"'?`,
  ],
  [
    "a migration that nobody has confirmed",
    migration('stage: "finished"'),
    "{ zoneId",
    missing("confirm", 'zoneId: string; stage: "finished"', "WafMigrationArgs<string>"),
  ],
  [
    "a migration's rule with an action that there is not",
    migration(
      'stage: "finished", confirm: zoneId, configuration: { name: "x", rules: [{ action: "exceute", expression: "true" }] }',
    ),
    "action",
    exceute,
  ],
];
