import { isDeepStrictEqual } from "node:util";
import type { Extra, Overrides, Rule } from "../../api/client-types";
import { normaliseExpression } from "../../csp";

/** What of a zone's rule list belongs to whom. */
export interface RuleMatch {
  /** For each declared rule the live one that it is, if there is one. */
  readonly live: readonly (Rule | undefined)[];
  /** Live rules that we made or took over and that are no longer declared. */
  readonly dropped: readonly Rule[];
  /** Live rules that are neither declared nor known from our state, in their order. */
  readonly foreign: readonly Rule[];
}

/**
 * Finds the live rule of each declared one: by `ref`, else by equal meaning, else the edited one in the same place
 * among the known rules that run the same managed ruleset. `known` are the rules of our state, by id.
 */
export function matchRules(
  declared: readonly Rule[],
  known: readonly Rule[],
  live: readonly Rule[],
): RuleMatch {
  const knownIds = new Set(known.map((rule) => rule.id));
  const isKnown = (rule: Rule): boolean => rule.id !== undefined && knownIds.has(rule.id);
  const free = new Set(live);
  const found: (Rule | undefined)[] = declared.map(() => undefined);

  const settle = (fits: (wanted: Rule, candidate: Rule) => boolean): void => {
    declared.forEach((wanted, index) => {
      if (found[index]) return;
      const candidate = [...free].find((rule) => fits(wanted, rule));
      if (!candidate) return;
      free.delete(candidate);
      found[index] = candidate;
    });
  };
  settle((wanted, rule) => wanted.ref !== undefined && wanted.ref === rule.ref);
  settle((wanted, rule) => isKnown(rule) && isSameRule(wanted, rule));
  settle((wanted, rule) => isSameRule(wanted, rule));
  settle((wanted, rule) => isKnown(rule) && mayBeEdit(wanted, rule));

  return {
    live: found,
    dropped: [...free].filter(isKnown),
    foreign: [...free].filter((rule) => !isKnown(rule)),
  };
}

/** A name given by the program is the rule's identity: another name is another rule. */
function mayBeEdit(wanted: Rule, rule: Rule): boolean {
  const named = rule.ref !== undefined && rule.ref !== rule.id;
  if (wanted.ref !== undefined || named) return false;
  return wanted.action === rule.action && wanted.actionParameters?.id === rule.actionParameters?.id;
}

/**
 * Whether the live rule is what is declared. Server-made fields and fields that the program does not speak of make no
 * difference; overrides do in both directions, because an absent one means "leave it".
 */
export function isSameRule(declared: Rule, live: Rule): boolean {
  return (
    declared.action === live.action &&
    normaliseExpression(declared.expression) === normaliseExpression(live.expression) &&
    (declared.description ?? "") === (live.description ?? "") &&
    (declared.enabled ?? true) === (live.enabled ?? true) &&
    (declared.ref === undefined || declared.ref === live.ref) &&
    declared.actionParameters?.id === live.actionParameters?.id &&
    isSameOverrides(declared.actionParameters?.overrides, live.actionParameters?.overrides) &&
    holds(live.actionParameters?.extra, declared.actionParameters?.extra) &&
    holds(live.extra, declared.extra)
  );
}

/** Whether two declarations say the same: what one of them no longer speaks of is a change too. */
export function isSameDeclaration(recorded: Rule, declared: Rule): boolean {
  return isSameRule(declared, recorded) && isSameRule(withoutRef(recorded), declared);
}

/** The record has the ref that the service made. */
function withoutRef({ ref: _ref, ...rule }: Rule): Rule {
  return rule;
}

function isSameOverrides(declared: Overrides = {}, live: Overrides = {}): boolean {
  return (
    declared.action === live.action &&
    declared.enabled === live.enabled &&
    isSameSet(declared.rules, live.rules) &&
    declared.extra?.["sensitivity_level"] === live.extra?.["sensitivity_level"] &&
    isSameSet(listed(declared.extra?.["categories"]), listed(live.extra?.["categories"])) &&
    holds(withoutCategories(live.extra), withoutCategories(declared.extra))
  );
}

/** The order of overrides has no meaning: each speaks of another rule. */
function isSameSet(left: readonly unknown[] = [], right: readonly unknown[] = []): boolean {
  return left.length === right.length && includesAll(left, right) && includesAll(right, left);
}

function includesAll(list: readonly unknown[], entries: readonly unknown[]): boolean {
  return entries.every((entry) =>
    list.some((candidate) => isDeepStrictEqual(plain(entry), plain(candidate))),
  );
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function withoutCategories(extra: Extra = {}): Extra {
  const { categories: _categories, ...rest } = extra;
  return rest;
}

/** Whether `live` has everything that `declared` asks for. */
function holds(live: Extra = {}, declared: Extra = {}): boolean {
  return Object.entries(declared).every(([name, value]) =>
    isDeepStrictEqual(plain(live[name] ?? null), plain(value)),
  );
}
