/** A statement that the compiler must reject. */
export type Mistake = readonly [
  title: string,
  statement: string,
  /** The text that the compiler underlines, or its beginning. */
  at: string,
  /** The last line of its message. */
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

/** Each mistake with the message of TypeScript 6. */
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
    "a policy without value and directives",
    policy(text),
    "{ zoneId",
    missing("directives", shown, 'CspPolicyWithDirectives<"log">'),
  ],
  [
    "a policy with both value and directives",
    policy(`${text}, value: "img-src *", directives: { "img-src": ["*"] }`),
    "{ zoneId",
    misfits('{ "img-src": string[]; }', "'undefined'"),
  ],
  [
    "a policy with an unknown action",
    policy('description: "x", action: "block", expression: "true", value: "img-src *"'),
    "action",
    misfits('"block"', `'Input<"log" | "allow" | "add_reporting_directives">'`),
  ],
  ["a misspelt directive", policy(`${text}, ${misspelt}`), `"script-scr"`, unknown],
  [
    "sources in one string",
    policy(`${text}, directives: { "img-src": "*" }`),
    `"img-src"`,
    misfits("string", "'Input<readonly Input<string>[]> | undefined'"),
  ],
  [
    "a string in place of a boolean",
    policy(`${text}, value: "img-src *", enabled: "yes"`),
    "enabled",
    misfits("string", "'Input<boolean | undefined>'"),
  ],
  [
    "an entry with an unknown action",
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
    "a rule with an unknown action",
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
    "a migration to an unknown stage",
    migration('stage: "finish", confirm: zoneId'),
    "stage",
    `${misfits('"finish"', "'Input<MigrationStage>'")} Did you mean '"finished"'?`,
  ],
  [
    "a migration without confirm",
    migration('stage: "finished"'),
    "{ zoneId",
    missing("confirm", 'zoneId: string; stage: "finished"', "WafMigrationArgs<string>"),
  ],
  [
    "a migration's rule with an unknown action",
    migration(
      'stage: "finished", confirm: zoneId, configuration: { name: "x", rules: [{ action: "exceute", expression: "true" }] }',
    ),
    "action",
    exceute,
  ],
];
