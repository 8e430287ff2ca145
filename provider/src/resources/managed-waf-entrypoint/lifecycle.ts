import { z } from "zod";
import type { Entrypoint, EntrypointBody, Extra, Overrides, Rule } from "../../api/client-types";
import { ForeignRulesError } from "../../errors/foreign-rules-error";
import { NotFoundError } from "../../errors/not-found-error";
import type { Finding } from "../../lifecycle/finding";
import type { Kind, Properties } from "../../lifecycle/kind";
import { mayHaveActed } from "../../lifecycle/may-have-acted";
import { oneAtATime } from "../../lifecycle/one-at-a-time";
import { PartialFailure } from "../../lifecycle/partial-failure";
import type { Run } from "../../lifecycle/run";
import { isSameZone } from "../../lifecycle/same-zone";
import { containsUnknown } from "../../lifecycle/unknown";
import { isZoneDeclared } from "../../lifecycle/zone-claims";
import { anyWafRule, fromRule, recordedRule, toRule, wafRuleInput } from "../waf-rule/rule-input";
import { isSameDeclaration, isSameRule, matchRules, type RuleMatch } from "../waf-rule/rule-match";
import {
  type Initial,
  type Inputs,
  inputsSchema,
  type Recorded,
  type State,
  shape,
  stateSchema,
} from "./state";

const name = "ManagedWafEntrypoint";

/** How often a write whose outcome is unknown is looked up and, where it did not happen, made anew. */
const attempts = 3;

export const managedWafEntrypoint: Kind<Inputs, State> = {
  name,
  shape,
  replacedBy: ["zoneId"],
  onePerZone: true,
  parseInputs: (inputs) => inputsSchema.parse(inputs),
  parseState: (state) => stateSchema.parse(state),
  inspect: ({ rules }) => (Array.isArray(rules) ? duplicateRefs(rules) : []),

  changedInputs(recorded, declared) {
    const changed = [];
    if (!isSameZone(recorded["zoneId"], declared["zoneId"])) changed.push("zoneId");
    if (declared["name"] !== undefined && recorded["name"] !== declared["name"]) changed.push("name");
    if (isListChanged(recorded["rules"], declared["rules"])) changed.push("rules");
    if ((recorded["foreignRules"] ?? "refuse") !== (declared["foreignRules"] ?? "refuse"))
      changed.push("foreignRules");
    if ((recorded["onDestroy"] ?? "restore") !== (declared["onDestroy"] ?? "restore"))
      changed.push("onDestroy");
    return changed;
  },

  // On an update the recorded ids tell what is ours, and `check` does not see them: `beforeUpdate` does.
  async preflight(run, { now, before }) {
    if (before !== undefined || containsUnknown(now)) return [];
    const inputs = inputsSchema.parse(now);
    const live = await run.client(inputs.connection).getEntrypoint(inputs.zoneId);
    return foreignFindings(inputs, match(inputs, [], live));
  },

  async beforeUpdate(run, id, state, now) {
    if (containsUnknown(now)) return [];
    const inputs = inputsSchema.parse(now);
    const live = await run.client(inputs.connection).getEntrypoint(id);
    return foreignFindings(inputs, match(inputs, ownRules(state, live?.rules), live));
  },

  create: (run, inputs) =>
    oneAtATime(run, inputs.zoneId, async () => {
      const live = await run.client(inputs.connection).getEntrypoint(inputs.zoneId);
      const initial: Initial = {
        ...(live?.name !== undefined && { name: live.name }),
        rules: (live?.rules ?? []).map(recorded),
        taken: [],
      };
      return { id: inputs.zoneId, state: await sync(run, inputs, {}, initial, live) };
    }),

  async read(run, id, state) {
    let live: Entrypoint | undefined;
    try {
      live = await run.client(state.connection).getEntrypoint(id);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
    const own = new Set(ownRules(state, live?.rules));
    // Nothing is recorded: a program reads the entry point by its id.
    const isGet = !state.initial && state.rules === undefined;
    // "overwrite" means that the list is exactly what is declared: what others add is drift then.
    const owned = (live?.rules ?? []).filter(
      (rule) => state.foreignRules === "overwrite" || own.has(rule) || isGet,
    );
    const rules = owned.map((rule) => {
      const { declared, recorded: record } = asDeclared(rule, recordOf(state, rule));
      return { declared, recorded: own.has(rule) || isGet ? record : { ...record, foreign: true } };
    });
    const inputs = {
      zoneId: id,
      name: state.name === undefined ? undefined : live?.name,
      rules: rules.map(({ declared }) => declared),
      foreignRules: state.foreignRules,
      onDestroy: state.onDestroy,
      connection: state.connection,
    };
    const initial = state.initial ?? { rules: (live?.rules ?? []).map(recorded), taken: [] };
    return {
      inputs,
      state: { ...inputs, ...served(live), rules: rules.map((rule) => rule.recorded), initial },
    };
  },

  update: (run, id, state, inputs) =>
    oneAtATime(run, id, async () => {
      const live = await run.client(inputs.connection).getEntrypoint(id);
      const initial = state.initial ?? { rules: (live?.rules ?? []).map(recorded), taken: [] };
      return sync(run, inputs, state, initial, live);
    }),

  delete: (run, id, state) =>
    oneAtATime(run, id, async () => {
      const onDestroy = state.onDestroy ?? "restore";
      // A successor of this resource has the zone now: undoing our work would undo its work.
      if (onDestroy === "keep" || isZoneDeclared(run, name, id)) return;
      const client = run.client(state.connection);
      const undo = (live: Entrypoint | undefined): EntrypointBody | undefined => {
        if (!live) return undefined;
        const rules = onDestroy === "restore" ? restored(state, live.rules) : withoutOurs(state, live.rules);
        const isRenamed = onDestroy === "restore" && state.name !== undefined;
        const nameBack = isRenamed ? (state.initial?.name ?? live.name) : live.name;
        return nameBack === live.name && isSameList(rules, live.rules)
          ? undefined
          : body(live, nameBack, rules);
      };
      try {
        await write(client, id, await client.getEntrypoint(id), undo);
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
      }
    }),
};

/** observe (`live`) -> ensure nothing foreign is lost -> write what differs -> the new state. */
async function sync(
  run: Run,
  inputs: Inputs,
  before: State,
  initial: Initial,
  live: Entrypoint | undefined,
): Promise<State> {
  const matchIn = (now: Entrypoint | undefined): RuleMatch =>
    match(inputs, ownRules(before, now?.rules), now);
  // 1. Foreign rules may have come since the preview.
  refuseForeign(inputs, matchIn(live));
  const taken = { ...initial, taken: takenIds(inputs, matchIn(live), initial) };
  // What was sent may be there: it must not be taken for somebody else's later.
  const unsure = { ...inputs, rules: [...(before.rules ?? []), ...inputs.rules], initial: taken };
  const target = (now: Entrypoint | undefined): EntrypointBody | undefined => {
    const matched = matchIn(now);
    refuseForeign(inputs, matched);
    const rules = desiredList(inputs, before, matched);
    const isNamed = inputs.name === undefined || inputs.name === now?.name;
    return isNamed && isSameList(rules, now?.rules ?? [])
      ? undefined
      : body(now, inputs.name ?? now?.name, rules);
  };
  // 2. Write, or find that all is well.
  let settled: Entrypoint | undefined;
  try {
    settled = await write(run.client(inputs.connection), inputs.zoneId, live, target);
  } catch (error) {
    if (mayHaveActed(error) && !(error instanceof ForeignRulesError)) {
      throw new PartialFailure(inputs.zoneId, unsure, error);
    }
    throw error;
  }
  // 3. The new state: what was declared, with the ids that the service gave.
  const ours = matchIn(settled);
  const rules = inputs.rules.map((rule, index) => ({ ...rule, ...serverFields(ours.live[index]) }));
  return { ...inputs, rules, ...served(settled), initial: taken };
}

/**
 * Writes the list that `target` makes of what is there. A write without a clear answer is never repeated blindly:
 * the list is read again, and what is missing is decided anew.
 */
async function write(
  client: ReturnType<Run["client"]>,
  zoneId: string,
  found: Entrypoint | undefined,
  target: (live: Entrypoint | undefined) => EntrypointBody | undefined,
): Promise<Entrypoint | undefined> {
  let live = found;
  for (let attempt = 1; ; attempt += 1) {
    const wanted = target(live);
    if (!wanted) return live;
    try {
      return await client.putEntrypoint(zoneId, wanted);
    } catch (error) {
      if (!mayHaveActed(error) || attempt === attempts) throw error;
      live = await client.getEntrypoint(zoneId).catch(() => {
        // Whatever the look says: the write may have been carried out, and that is what counts.
        throw error;
      });
    }
  }
}

function match(inputs: Inputs, known: readonly Rule[], live: Entrypoint | undefined): RuleMatch {
  return matchRules(inputs.rules.map(toRule), known, live?.rules ?? []);
}

function recordOf(state: State, rule: Rule): Recorded | undefined {
  return (
    state.rules?.find((mine) => mine.id === rule.id) ??
    state.rules?.find((mine) => isSameRule(meaningOf(mine), rule))
  );
}

/** The whole list: what is kept of others first, in its order, then what is declared, in its order. */
function desiredList(inputs: Inputs, before: State, { live, foreign }: RuleMatch): Rule[] {
  const declared = inputs.rules.map(toRule);
  const kept = inputs.foreignRules === "keep" ? foreign : [];
  const identified = declared.map((rule, index) => {
    const there = live[index];
    const record = there && recordOf(before, there);
    return withIdentity(rule, there, record && fromRecord(record));
  });
  return [...kept, ...identified];
}

/**
 * A rule that exists already keeps its id, and what the program does not speak of. What the program spoke of before
 * (`record`) and does no more, goes.
 */
function withIdentity(rule: Rule, live: Rule | undefined, record?: Rule): Rule {
  if (!live) return rule;
  const { actionParameters: given } = rule;
  const there = withoutServerFields(live).actionParameters;
  const isSameRuleset = rule.action === live.action && given !== undefined && given.id === there?.id;
  const before = record?.actionParameters;
  return {
    ...withExtra(rule, live, record),
    ...(live.id !== undefined && { id: live.id }),
    ...(live.ref !== undefined && { ref: live.ref }),
    ...(isSameRuleset && {
      actionParameters: {
        ...withExtra(given, there ?? {}, before),
        ...(given.overrides && {
          overrides: withExtra(
            given.overrides,
            unnamedExtra(there?.overrides),
            unnamedExtra(before?.overrides),
          ),
        }),
      },
    }),
  };
}

function withExtra<T extends { readonly extra?: Extra }>(
  given: T,
  live: { readonly extra?: Extra },
  record: { readonly extra?: Extra } = {},
): T {
  const dropped = Object.keys(record.extra ?? {}).filter((field) => !(field in (given.extra ?? {})));
  const kept = Object.entries(live.extra ?? {}).filter(([field]) => !dropped.includes(field));
  const extra = { ...Object.fromEntries(kept), ...given.extra };
  return Object.keys(extra).length > 0 ? { ...given, extra } : given;
}

/** Without the two fields that a program has names for: absent there means absent. */
function unnamedExtra(overrides: Overrides = {}): { readonly extra?: Extra } {
  const { categories: _categories, sensitivity_level: _level, ...extra } = overrides.extra ?? {};
  return { extra };
}

function body(
  live: Entrypoint | undefined,
  listName: string | undefined,
  rules: readonly Rule[],
): EntrypointBody {
  return {
    name: listName ?? "default",
    // The documents know no description; one that somebody wrote is not to be lost.
    ...(live?.description ? { description: live.description } : {}),
    rules: rules.map(({ version: _version, lastUpdated: _updated, ...rule }) => rule),
  };
}

function isSameList(wanted: readonly Rule[], live: readonly Rule[]): boolean {
  return (
    wanted.length === live.length &&
    wanted.every((rule, index) => {
      const other = live[index];
      return (
        other !== undefined &&
        rule.id === other.id &&
        isSameDeclaration(withoutServerFields(other), withoutServerFields(rule))
      );
    })
  );
}

/** `version: "latest"` of a managed ruleset is the service's word. */
function withoutServerFields(rule: Rule): Rule {
  const { version: _latest, ...extra } = rule.actionParameters?.extra ?? {};
  return rule.actionParameters ? { ...rule, actionParameters: { ...rule.actionParameters, extra } } : rule;
}

function refuseForeign(inputs: Inputs, { foreign }: RuleMatch): void {
  if (foreign.length === 0 || (inputs.foreignRules ?? "refuse") !== "refuse") return;
  throw new ForeignRulesError(inputs.zoneId, foreign.map(ruleLabel));
}

function foreignFindings(inputs: Inputs, matched: RuleMatch): readonly Finding[] {
  refuseForeign(inputs, matched);
  const { foreign } = matched;
  if (foreign.length === 0 || inputs.foreignRules !== "overwrite") return [];
  const count = foreign.length === 1 ? "1 rule" : `${foreign.length} rules`;
  const message = `foreignRules is "overwrite": ${count} of somebody else will be deleted: ${foreign.map(ruleLabel).join("; ")}.`;
  return [{ severity: "warning", property: "", message }];
}

/** How a person finds the rule again. */
function ruleLabel(rule: Rule): string {
  const called = rule.description ? `"${rule.description}"` : "(no description)";
  const runs = rule.actionParameters?.id ? ` ${rule.actionParameters.id}` : "";
  return `${called}, ${rule.action}${runs} if ${rule.expression}${rule.id ? `, id ${rule.id}` : ""}`;
}

function takenIds(inputs: Inputs, { live, foreign }: RuleMatch, initial: Initial): string[] {
  const overwritten = inputs.foreignRules === "overwrite" ? foreign : [];
  const ids = [...live, ...overwritten].flatMap((rule) => (rule?.id === undefined ? [] : [rule.id]));
  const found = new Set(initial.rules.map((rule) => rule.id));
  return [...new Set([...initial.taken, ...ids.filter((id) => found.has(id))])];
}

/**
 * The list as found, as far as it was this resource that changed it: rules taken over or overwritten come back, our
 * own go, and what others did since stays.
 */
function restored(state: State, live: readonly Rule[]): Rule[] {
  const { initial } = state;
  if (!initial) return withoutOurs(state, live);
  const ours = new Set(ownRules(state, live));
  const taken = new Set(initial.taken);
  const used = new Set<Rule>();
  const returning = initial.rules.flatMap((rule): Rule[] => {
    const byId = live.find((candidate) => candidate.id !== undefined && candidate.id === rule.id);
    const isOurs = rule.id !== undefined && taken.has(rule.id);
    const still =
      byId ?? (isOurs ? [...ours].find((candidate) => isSameRule(meaningOf(rule), candidate)) : undefined);
    if (still) used.add(still);
    if (!isOurs) return still && !ours.has(still) ? [still] : [];
    // The service forgets the id of a deleted rule.
    const { id, ...anew } = fromRecord(rule);
    return [still ? withIdentity(withoutServerRef(anew, id), still) : withoutServerRef(anew, id)];
  });
  return [...returning, ...live.filter((rule) => !ours.has(rule) && !used.has(rule))];
}

/** A ref that the service made is the id of the rule: sent for a rule that is gone, it would be taken for a name. */
function withoutServerRef({ ref, ...rule }: Rule, id: string | undefined): Rule {
  return ref === undefined || ref === id ? rule : { ...rule, ref };
}

function withoutOurs(state: State, live: readonly Rule[]): Rule[] {
  const ours = new Set(ownRules(state, live));
  return live.filter((rule) => !ours.has(rule));
}

/**
 * The live rules that are this resource's: those with a recorded id, else with the recorded meaning. A migration
 * update gives every rule a new id.
 */
function ownRules(state: State, live: readonly Rule[] = []): readonly Rule[] {
  const records = (state.rules ?? []).filter((rule) => rule.foreign !== true);
  const ids = new Set(records.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const own = new Set(live.filter((rule) => rule.id !== undefined && ids.has(rule.id)));
  const seen = new Set([...own].map((rule) => rule.id));
  for (const lost of records.filter((rule) => rule.id === undefined || !seen.has(rule.id))) {
    const found = live.find((rule) => !own.has(rule) && isSameRule(meaningOf(lost), rule));
    if (found) own.add(found);
  }
  return live.filter((rule) => own.has(rule));
}

/** A live rule under the program's names, with what the service made of it. */
function recorded(rule: Rule): Recorded {
  return { ...(fromRule(rule) as Pick<Recorded, "action" | "expression">), ...serverFields(rule) };
}

function serverFields(rule: Rule | undefined): Pick<Recorded, "id" | "ref" | "version" | "lastUpdated"> {
  if (!rule) return {};
  const { id, ref, version, lastUpdated } = rule;
  return Object.fromEntries(
    Object.entries({ id, ref, version, lastUpdated }).filter(([, value]) => value !== undefined),
  );
}

function fromRecord({
  id,
  ref,
  version: _version,
  lastUpdated: _updated,
  foreign: _foreign,
  ...declared
}: Recorded): Rule {
  const rule = toRule(anyWafRule.parse(declared));
  return { ...rule, ...(id !== undefined && { id }), ...(ref !== undefined && { ref }) };
}

/** What a recorded rule does, without what identifies it. */
function meaningOf(record: Recorded): Rule {
  const { id: _id, ref: _ref, ...meaning } = fromRecord(record);
  return meaning;
}

/** A live rule as the program would have to declare it; what the program left out and the service filled in stays out. */
function asDeclared(live: Rule, before: Recorded | undefined): { declared: Properties; recorded: Recorded } {
  const whole = fromRule(live);
  const defaults: Record<string, unknown> = { enabled: true, description: "" };
  const declared = Object.fromEntries(
    Object.entries(whole).filter(([field, value]) => {
      if (!before) return true;
      if (field === "extra") return before.extra !== undefined;
      return before[field] !== undefined || value !== defaults[field];
    }),
  );
  if (live.ref !== undefined && live.ref !== live.id) declared["ref"] = live.ref;
  if (before) onlyKnownExtras(declared, before);
  return {
    declared,
    recorded: { ...(declared as Pick<Recorded, "action" | "expression">), ...serverFields(live) },
  };
}

/** Fields that the program has never spoken of are no drift. Works at any depth, for the objects named `extra`. */
function onlyKnownExtras(value: Record<string, unknown>, before: Readonly<Record<string, unknown>>): void {
  for (const [field, entry] of Object.entries(value)) {
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) continue;
    const known = before[field];
    const knownFields = typeof known === "object" && known !== null ? { ...known } : {};
    const copy: Record<string, unknown> = { ...entry };
    if (field === "extra") {
      for (const name of Object.keys(copy)) if (!(name in knownFields)) delete copy[name];
    } else {
      onlyKnownExtras(copy, knownFields);
    }
    if (field === "extra" && Object.keys(copy).length === 0) delete value[field];
    else value[field] = copy;
  }
}

function served(live: Entrypoint | undefined): Pick<State, "rulesetId" | "version" | "lastUpdated"> {
  return { rulesetId: live?.rulesetId ?? "", version: live?.version, lastUpdated: live?.lastUpdated };
}

/** Compares in order: the order of rules is their order of running. */
function isListChanged(recordedRules: unknown, declaredRules: unknown): boolean {
  const before = z.array(recordedRule).safeParse(recordedRules);
  const now = z.array(wafRuleInput).safeParse(declaredRules);
  if (!before.success || !now.success || containsUnknown(declaredRules)) return true;
  return (
    before.data.length !== now.data.length ||
    now.data.some((rule, index) => {
      const old = before.data[index];
      return !old || !isSameDeclaration(fromRecord(old), toRule(rule));
    })
  );
}

function duplicateRefs(rules: readonly unknown[]): Finding[] {
  const seen = new Map<unknown, number>();
  return rules.flatMap((rule, index): Finding[] => {
    const ref: unknown = typeof rule === "object" && rule !== null ? Reflect.get(rule, "ref") : undefined;
    if (ref === undefined || containsUnknown(ref)) return [];
    const first = seen.get(ref);
    seen.set(ref, first ?? index);
    if (first === undefined) return [];
    return [
      {
        severity: "error",
        property: `rules[${index}].ref`,
        message: `"${String(ref)}" is the ref of rules[${first}] already. A ref is the identity of one rule; give each its own.`,
      },
    ];
  });
}
