import type { Entrypoint, EntrypointBody, Rule } from "../../api/client-types";
import type { PageGuardClient } from "../../api/create-client";
import { isApiError, NotFoundError } from "../../errors/api-error";
import { PageGuardError } from "../../errors/page-guard-error";
import { findChangedNames, makeSchemas } from "../../lifecycle/draft";
import { tell } from "../../lifecycle/findings-file";
import { type Kind, nothingToDo } from "../../lifecycle/kind";
import { oneAtATime, rememberInZone } from "../../lifecycle/memory";
import { mayHaveActed, PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { checkedResources } from "../../lifecycle/secret-inputs";
import { hasSuccessor } from "../../lifecycle/zone-claims";
import { ruleExpressionFindings } from "../../model/expression-findings";
import { isSameZone } from "../../model/zone-id";
import { canonicalize } from "../../text/data";
import { overwritesOthers, ruleEffects } from "./effects";
import { findings, foreignLabels, isForeignChanged, newForeign, refuse } from "./findings";
import {
  collectIds,
  inheritInitial,
  type ListMatch,
  matchList,
  matchWritten,
  ownById,
  ownRules,
  selectStillOwn,
  withTaken,
} from "./ownership";
import { orderFindings } from "./place-findings";
import { addServerFields, asDeclared, toRecorded } from "./recorded-rule";
import { makeRestoredList } from "./restore";
import { body, duplicateRefs, isListChanged, isSameList, makeDesiredList } from "./rule-list";
import {
  defaultOrder,
  type Initial,
  type Inputs,
  type RecordedRule,
  type State,
  shape,
  stateSchema,
} from "./state";

const name = "ManagedWafEntrypoint";

/** Maximum number of writes in a row whose outcome is unknown, or that the rate limit refuses. */
const attempts = 3;

/**
 * Maximum number of changes to the list during the waits of a write. If there are more, another program keeps writing the list.
 */
const mostChanges = 10;

/** Pauses in milliseconds after readings that are older than the state. They add up to half a minute. */
const lagPausesMs = [2000, 4000, 8000, 16_000];

/** Facts about a zone's list in this run. */
interface ListInRun {
  /**
   * The resource whose rules this run has deleted. `state`: its last state, with the earlier rules that `onDestroy: "restore"` put
   * back. If this run recreates the resource, the create finds these rules by id only: an equal rule with another id is unmanaged.
   */
  deleted?: { readonly urn: string; readonly state: State } | undefined;
  /** Ids of the rules of the resource that manages the list; undefined if not all of them are known. */
  ownIds?: ReadonlySet<string> | undefined;
}

const listInRun = rememberInZone((): ListInRun => ({}));

/** Returns the ids of the resource's own rules; undefined if a rule has no id yet. */
function collectOwnIds(rules: State["rules"]): ListInRun["ownIds"] {
  if (!rules?.every(({ id }) => id !== undefined)) return undefined;
  return new Set(collectIds(rules.filter(({ foreign }) => !foreign)));
}

/** Changes a zone's list once all earlier changes to it have ended. */
function changeList(run: Run, zoneId: string, work: (list: ListInRun) => Promise<State>): Promise<State> {
  return oneAtATime(run, zoneId, async () => {
    const list = listInRun(run, zoneId);
    // If the change fails, the ids are not known.
    list.ownIds = undefined;
    const state = await work(list);
    list.ownIds = collectOwnIds(state.rules);
    list.deleted = undefined;
    return state;
  });
}

export const managedWafEntrypoint: Kind<Inputs, State> = {
  name,
  ...makeSchemas(shape, stateSchema),
  replacedBy: ["zoneId"],
  onePerZone: true,
  parts: ["entrypoint"],
  inZone: { object: "rule", effects: ruleEffects, takesOthers: overwritesOthers },
  outputs: { rulesetId: [], version: [], lastUpdated: [], foreign: [], initial: ["name"] },
  inspect: ({ values: { rules, foreignRules, order } }) => [
    ...(Array.isArray(rules) ? duplicateRefs(rules) : []),
    ...orderFindings(order, foreignRules, rules),
    ...ruleExpressionFindings(rules, "rules"),
  ],

  changedInputs: ({ state, values }) => [
    ...findChangedNames(state, values, {
      foreignRules: "refuse",
      order: defaultOrder,
      onDestroy: "restore",
    }),
    ...(values["name"] !== undefined && values["name"] !== state.name ? ["name"] : []),
    ...(isListChanged(state.rules, values["rules"]) ? ["rules"] : []),
  ],

  claim({ run, draft: { values }, recorded }) {
    // If the resource moves to another zone, another resource may already manage the list in the old zone.
    if (recorded && isSameZone(recorded.id, values["zoneId"]))
      listInRun(run, recorded.id).ownIds = collectOwnIds(recorded.state.rules);
    return {};
  },

  async plan({ run, draft: { inputs }, recorded, replaced }) {
    if (!inputs || recorded?.isDue === false) return nothingToDo;
    const before = recorded?.state ?? replaced;
    const live = await readList(run, run.client(inputs.connection), inputs.zoneId, before);
    const seen = matchList(inputs, ownRules(before ?? {}, live), live);
    return { findings: findings(inputs, seen, before), needsUpdate: false };
  },

  async create({ run, inputs, urn, replaced, predecessor }) {
    const { zoneId } = inputs;
    const state = await changeList(run, zoneId, ({ deleted }) => {
      // With `deleteBeforeReplace`, the resource also owns the rules that its deletion has put back. After a rename with an
      // alias, `deleted.urn` is the old URN, which the program no longer declares. Then the deleted resource is assumed to be
      // this one, unless another resource moves out of the zone.
      const isRenamed = !checkedResources(run).has(deleted?.urn ?? urn) && predecessor() === undefined;
      const isOwn = deleted !== undefined && (deleted.urn === urn || replaced !== undefined || isRenamed);
      const before = isOwn ? deleted.state : (replaced ?? {});
      return sync(run, inputs, before, deleted ? ownById : ownRules, predecessor);
    });
    return { id: zoneId, state };
  },

  async read({ run, id, state }) {
    let live: Entrypoint | undefined;
    try {
      live = await readList(run, run.client(state.connection), id, state);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
    const all = live?.rules ?? [];
    // Without a state, the read is for a `get` in a program, or for an import.
    const isGet = !state.initial && state.rules === undefined;
    const own = ownRules(state, live);
    const foreign = isGet ? [] : all.filter((rule) => !own.has(rule));
    // With "overwrite", the list has to be exactly as declared, so unmanaged rules are drift.
    const owned = state.foreignRules === "overwrite" || isGet ? all : all.filter((rule) => own.has(rule));
    const rules = owned.map((rule) => {
      const { declared, recorded: record } = asDeclared(rule, own.get(rule), isGet);
      return { declared, recorded: own.has(rule) || isGet ? record : { ...record, foreign: true } };
    });
    const { foreignRules, order, onDestroy, connection } = state;
    const listName = state.name === undefined ? undefined : live?.name;
    const inputs = {
      zoneId: id,
      name: listName,
      rules: rules.map((rule) => rule.declared),
      foreignRules,
      order,
      onDestroy,
      connection,
    };
    const initial = state.initial ?? initialList(live, isGet ? all : [...own.keys()]);
    const records = rules.map((rule) => rule.recorded);
    const seen: State = { ...inputs, ...listData(live), rules: records, ...foreignData(foreign), initial };
    // The engine does not say for which resource it reads, so these findings are shown on the stack.
    for (const finding of newForeign(state, foreign)) {
      const message = `${name} of zone ${id}: ${finding.message}`;
      await tell(run, { ...finding, message }, { urn: "", zoneId: id });
    }
    return { inputs, state: seen, hasDrifted: isForeignChanged(state, foreign) };
  },

  update: ({ run, id, state, inputs }) => changeList(run, id, () => sync(run, inputs, state)),

  delete: ({ run, id, state, urn }) =>
    oneAtATime(run, id, async () => {
      if (state.onDestroy === "keep") return;
      const isSuperseded = hasSuccessor(run, name, id);
      // After `--replace`, or a rename without an alias, another resource manages the list now, and it did not get this state.
      // Remove only rules that the other resource did not adopt.
      const successorIds = isSuperseded ? listInRun(run, id).ownIds : undefined;
      if (isSuperseded && !successorIds) return;
      const client = run.client(state.connection);
      let restored: RecordedRule[] = [];
      try {
        const live = await readList(run, client, id, state);
        const own = successorIds
          ? new Map([...ownById(state, live)].filter(([rule]) => !successorIds.has(rule.id ?? "")))
          : ownRules(state, live);
        let sent: EntrypointBody | undefined;
        const settled = await write(client, id, live, (now) => {
          sent = now && makeRestoredList(state, selectStillOwn(own, now), now, isSuperseded);
          return sent;
        });
        if (sent && !isSuperseded) restored = [...matchWritten(sent, settled).keys()].map(toRecorded);
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
      }
      const after = { ...state, rules: [...(state.rules ?? []), ...restored] };
      listInRun(run, id).deleted = isSuperseded ? undefined : { urn, state: after };
    }),
};

/**
 * Brings the zone's list to the declared state, and returns the new state. `ownIn` finds the resource's own rules in a list.
 * `predecessor`: see `CreateRequest`.
 */
async function sync(
  run: Run,
  inputs: Inputs,
  before: State,
  ownIn = ownRules,
  predecessor: () => State | undefined = () => undefined,
): Promise<State> {
  const client = run.client(inputs.connection);
  // 1. Observe again, because someone may have added rules since the preview.
  const found = await readList(run, client, inputs.zoneId, before);
  const own = ownIn(before, found);
  let seen = matchList(inputs, own, found);
  refuse(inputs, seen, before);
  let initial = before.initial ?? initialList(found, [...own.keys()]);
  // Unmanaged rules that equal declared rules are adopted now. The others stay unmanaged, even if the list is read again.
  const unmanagedIds = new Set(collectIds(seen.match.foreign));
  const findInitial = () => (before.initial ? initial : inheritInitial(initial, predecessor()?.initial));
  let decisions = 0;
  let sent: EntrypointBody | undefined;
  const target = (live: Entrypoint | undefined): EntrypointBody | undefined => {
    decisions += 1;
    sent = undefined;
    if (decisions > 1) seen = matchList(inputs, selectStillOwn(own, live), live, unmanagedIds);
    initial = withTaken(initial, inputs, seen, before);
    refuse(inputs, seen, before);
    const rules = makeDesiredList(inputs, seen, before).map(({ rule }) => rule);
    const isNameKept = inputs.name === undefined || inputs.name === live?.name;
    if (isNameKept && isSameList(rules, live?.rules ?? [])) return undefined;
    if (!isNameKept) initial = { ...initial, renamed: inputs.name };
    sent = body(live, inputs.name ?? live?.name, rules);
    return sent;
  };
  // 2. Write the list, unless it is already as declared.
  let settled: Entrypoint | undefined;
  let mayBeWritten = false;
  try {
    settled = await write(client, inputs.zoneId, found, target, (error) => {
      mayBeWritten ||= mayHaveActed(error);
    });
  } catch (error) {
    if (!mayBeWritten) throw error;
    // 3. The rules that were sent may be in the zone. Keep them in the state, so that they are not taken for unmanaged rules
    // later.
    const dropped = seen.match.dropped.flatMap((rule) => seen.own.get(rule) ?? []);
    const rules = [...withServerFields(inputs, seen), ...dropped];
    // Keep the old `order`, so that the next update moves the rules if they have not moved yet.
    const order = before.rules === undefined ? inputs.order : before.order;
    const outputs = { ...listData(seen.list), ...foreignData(seen.match.foreign) };
    const known = { ...inputs, order, rules, ...outputs, initial: findInitial() };
    throw new PartialFailureError(inputs.zoneId, known, error);
  }
  // 4. Return the new state: the declared rules with the ids that the service assigned.
  const others = new Set(collectIds(seen.match.foreign));
  const ours = new Map([...selectStillOwn(own, settled), ...matchWritten(sent, settled)]);
  const done = matchList(inputs, ours, settled, others);
  const rules = withServerFields(inputs, done);
  const outputs = { ...listData(settled), ...foreignData(done.match.foreign) };
  return { ...inputs, rules, ...outputs, initial: findInitial() };
}

/**
 * Reads the list. A reading may not show our last write yet: then it has a lower version than the state, or no list. Such a
 * reading is repeated for as long as readings usually lag behind. A reading that is still older after that is accepted, because
 * somebody may have deleted the list.
 */
async function readList(
  run: Run,
  client: PageGuardClient,
  zoneId: string,
  { rulesetId, version }: State = {},
): Promise<Entrypoint | undefined> {
  for (const pauseMs of lagPausesMs) {
    const live = await client.getEntrypoint(zoneId);
    const isOlder = Number(live?.version ?? 0) < Number(version) && (!live || live.rulesetId === rulesetId);
    if (!isOlder) return live;
    await run.sleep(pauseMs);
  }
  return client.getEntrypoint(zoneId);
}

/** Thrown before a write if the list has changed while the write waited for the rate limit. */
class ListChange {
  constructor(readonly list: Entrypoint | undefined) {}
}

/**
 * Writes the list that `target` computes from the live one. Reads the list and lets `target` decide again if a write gets no clear
 * response, if the rate limit refuses it, or if the list changes while the write waits. Calls `onFailure` for each failed write.
 */
async function write(
  client: PageGuardClient,
  zoneId: string,
  found: Entrypoint | undefined,
  target: (live: Entrypoint | undefined) => EntrypointBody | undefined,
  onFailure: (error: unknown) => void = () => undefined,
): Promise<Entrypoint | undefined> {
  let live = found;
  let changes = 0;
  for (let attempt = 1; ; attempt += 1) {
    const wanted = target(live);
    if (!wanted) return live;
    let isSent = false;
    const before = live;
    const beforeSend = async (isLate: boolean) => {
      const now = isLate ? await client.urgently().getEntrypoint(zoneId) : before;
      if (isOther(before, now)) throw new ListChange(now);
      isSent = true;
    };
    try {
      return await client.putEntrypoint(zoneId, wanted, beforeSend);
    } catch (error) {
      if (error instanceof ListChange) {
        changes += 1;
        if (changes === mostChanges) throw tooManyChanges(zoneId);
        live = error.list;
        attempt -= 1;
        continue;
      }
      if (isSent) onFailure(error);
      const mayPass = (isSent && mayHaveActed(error)) || isApiError(error, "PG_RATE_LIMITED");
      if (!mayPass || attempt === attempts) throw error;
      live = await client.getEntrypoint(zoneId).catch(() => {
        // Throw the error of the write, not the error of this read, because the write may have been carried out.
        throw error;
      });
    }
  }
}

function tooManyChanges(zoneId: string): PageGuardError {
  const facts = { operation: "write the rules", zoneId };
  return new PageGuardError("PG_RATE_LIMITED", facts, {
    what: `the list changed ${mostChanges} times while the request waited for the rate limit. Nothing was sent.`,
    why: "Another program or person writes the same list all the time.",
    fix: "Find out what writes it, and run the command again when it has stopped.",
  });
}

/** Whether a later reading shows another list. A reading with a lower version only lags behind, so it shows no other list. */
function isOther(before: Entrypoint | undefined, now: Entrypoint | undefined): boolean {
  if (Number(now?.version ?? 0) < Number(before?.version)) return false;
  return canonicalize(before ?? null) !== canonicalize(now ?? null);
}

function withServerFields(inputs: Inputs, { match }: ListMatch): RecordedRule[] {
  return inputs.rules.map((rule, index) => addServerFields(rule, match.live[index]));
}

/**
 * Returns the list that a destroy restores, for a resource whose state has none yet. `own`: the rules that belong to the resource
 * already, because it was imported. They were in the zone before, so a destroy leaves them there.
 */
function initialList(live: Entrypoint | undefined, own: readonly Rule[]): Initial {
  const { name: listName, rules = [] } = live ?? {};
  return {
    ...(listName !== undefined && { name: listName }),
    rules: rules.map(toRecorded),
    taken: collectIds(own),
  };
}

function foreignData(foreign: readonly Rule[]): Pick<State, "foreign" | "foreignIds"> {
  return { foreign: foreignLabels(foreign), foreignIds: collectIds(foreign) };
}

function listData(live: Entrypoint | undefined): Pick<State, "rulesetId" | "version" | "lastUpdated"> {
  return { rulesetId: live?.rulesetId ?? "", version: live?.version, lastUpdated: live?.lastUpdated };
}
