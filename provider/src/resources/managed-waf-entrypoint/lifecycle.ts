import type { Entrypoint, EntrypointBody, Rule } from "../../api/client-types";
import { ForeignRulesError } from "../../errors/foreign-rules-error";
import { NotFoundError } from "../../errors/not-found-error";
import type { Kind } from "../../lifecycle/kind";
import { mayHaveActed } from "../../lifecycle/may-have-acted";
import { oneAtATime } from "../../lifecycle/one-at-a-time";
import { PartialFailure } from "../../lifecycle/partial-failure";
import type { Run } from "../../lifecycle/run";
import { isSameZone } from "../../lifecycle/same-zone";
import { containsUnknown } from "../../lifecycle/unknown";
import { isZoneDeclared } from "../../lifecycle/zone-claims";
import { toRule } from "../waf-rule/rule-input";
import { matchRules, type RuleMatch } from "../waf-rule/rule-match";
import { foreignFindings, ownRules, refuseForeign, restored, takenIds, withoutOurs } from "./ownership";
import { asDeclared, recorded, recordOf, serverFields } from "./recorded-rule";
import { body, desiredList, duplicateRefs, isListChanged, isSameList } from "./rule-list";
import { type Initial, type Inputs, inputsSchema, type State, shape, stateSchema } from "./state";

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

function served(live: Entrypoint | undefined): Pick<State, "rulesetId" | "version" | "lastUpdated"> {
  return { rulesetId: live?.rulesetId ?? "", version: live?.version, lastUpdated: live?.lastUpdated };
}
