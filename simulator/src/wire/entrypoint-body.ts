import {
  anything,
  boolean,
  type Check,
  expression,
  invalid,
  json,
  list,
  number,
  object,
  oneOf,
  string,
  that,
} from "./checks";

export const managedPhase = "http_request_firewall_managed";
const longestExpression = 4096;
const ruleActions = [
  "execute",
  "skip",
  "log",
  "block",
  "challenge",
  "js_challenge",
  "managed_challenge",
  "rewrite",
] as const;
const overrideActions = ruleActions.slice(2);
const identifier = that(string, (text) => /^[0-9a-f]{32}$/.test(text), "must be 32 hexadecimal characters");
const isShort = (text: string) => text.length <= longestExpression;
const shortExpression = that(expression, isShort, `must have at most ${longestExpression} characters`);

const ruleMembers = {
  id: string,
  version: string,
  ref: string,
  action: oneOf<readonly string[]>(ruleActions),
  expression: shortExpression,
  description: string,
  enabled: boolean,
  last_updated: string,
  action_parameters: json,
  logging: object({ enabled: boolean }),
  exposed_credential_check: object({ username_expression: expression, password_expression: expression }),
};
const rule = object(ruleMembers, ["action", "expression"]);
/** Checks a change to a rule, which can have any members of a rule. */
export const ruleChange = object(ruleMembers);

/** Returns a check that refuses overrides without a setting. An omitted field means "leave it", so no default is filled in. */
function overriding<T extends object>(check: Check<T>): Check<T> {
  return that(check, (read) => Object.keys(read).length > 1, "overrides nothing");
}

const effect = {
  action: oneOf(overrideActions),
  enabled: boolean,
  sensitivity_level: oneOf(["default", "medium", "low", "eoff"]),
};
const overriddenRule = overriding(object({ id: identifier, score_threshold: number, ...effect }, ["id"]));
const overrides = object({
  ...effect,
  rules: (value, at) => {
    const rules = list(overriddenRule)(value, at);
    refuseRepeated("id", rules, at);
    return rules;
  },
  categories: list(overriding(object({ category: string, ...effect }, ["category"]))),
});

const execution = object({ id: identifier, version: string, overrides, matched_data: anything }, ["id"]);
const skip = object({
  ruleset: oneOf(["current"]),
  rulesets: list(string),
  phases: list(string),
  products: list(string),
  rules: json,
});
const otherParameters = object({ response: anything, uri: anything, headers: anything });

/** A rule as it was sent. Empty strings in `id`, `version` and `ref` are kept, for the caller to accept or refuse. */
export type SentRule = Omit<ReturnType<typeof rule>, "last_updated" | "enabled"> & {
  readonly enabled: boolean;
};

export interface SentEntrypoint {
  readonly name?: string;
  readonly description?: string;
  readonly rules: readonly SentRule[];
}

/** Reads one rule; `pointer` is its place in the body. */
export function readRule(value: unknown, pointer: string): SentRule {
  const { last_updated: _, enabled = true, ...sent } = rule(value, pointer);
  const at = `${pointer}/action_parameters`;
  const { action, action_parameters: parameters } = sent;
  if (action === "execute" || action === "skip") {
    if (parameters === undefined) throw invalid(at, `is required by ${action}`);
    (action === "execute" ? execution : skip)(parameters, at);
  } else if (parameters !== undefined) otherParameters(parameters, at);
  return { ...sent, enabled };
}

const members = { name: string, description: string, kind: oneOf(["zone"]), phase: oneOf([managedPhase]) };
const entrypoint = object({ ...members, rules: list(readRule) }, ["rules"]);

export function readEntrypoint(body: unknown): SentEntrypoint {
  const { kind: _kind, phase: _phase, ...sent } = entrypoint(body, "");
  refuseRepeated("id", sent.rules);
  refuseRepeated("ref", sent.rules);
  return sent;
}

/** Refuses rules whose `id`, `version` or `ref` is not right for this update. @throws RefusalError */
export function checkIdentity(
  { rules }: SentEntrypoint,
  isRight: (text: string | undefined) => boolean,
  complaint: string,
): void {
  rules.forEach((rule, index) => {
    for (const name of ["id", "version", "ref"] as const)
      if (!isRight(rule[name])) throw invalid(`/rules/${index}/${name}`, complaint);
  });
}

/** Refuses an `id` or `ref` that two rules share, unless it is empty. `at`: place of the rules. @throws RefusalError */
export function refuseRepeated(
  name: "id" | "ref",
  rules: readonly Partial<Record<"id" | "ref", string>>[],
  at = "/rules",
): void {
  rules.forEach(({ [name]: value }, index) => {
    if (value && rules.findIndex((other) => other[name] === value) < index)
      throw invalid(`${at}/${index}/${name}`, `"${value}" is used by another rule`);
  });
}
