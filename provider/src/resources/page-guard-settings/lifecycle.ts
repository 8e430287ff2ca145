import type { Settings, SettingsChange } from "../../api/client-types";
import { isObjectGone } from "../../errors/api-error";
import { unlessGone } from "../../functions/read-zone";
import { findChangedNames, makeSchemas } from "../../lifecycle/draft";
import { type Kind, nothingToDo } from "../../lifecycle/kind";
import { rememberInZone } from "../../lifecycle/memory";
import { mayHaveActed, PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { hasSuccessor, warnIfRenamed } from "../../lifecycle/zone-claims";
import { type Finding, makeInfo } from "../../model/finding";
import { afterDestroy, afterUpdate, findDifference, pick, type Switches, settingsEffects } from "./effects";
import { type Inputs, type State, shape, stateSchema, switches } from "./state";
import { settingsDeclaration } from "./to-declaration";

const name = "PageGuardSettings";

/** Maximum age in milliseconds of settings in `readings`. Older settings are read again. */
const maxAgeMs = 60_000;

/** Settings that `plan` has read, for the create that follows. */
const readings = rememberInZone(
  (): { last?: { readonly at: number; readonly found: Settings } | undefined } => ({}),
);

export const pageGuardSettings: Kind<Inputs, State> = {
  name,
  ...makeSchemas(shape, stateSchema),
  replacedBy: ["zoneId"],
  onePerZone: true,
  parts: ["settings"],
  inZone: { object: "settings", effects: settingsEffects },
  outputs: { updatedAt: [], initial: [] },

  changedInputs: ({ state, values }) =>
    findChangedNames(state, values, {
      ...Object.fromEntries(switches.map((input) => [input, undefined])),
      onDestroy: "restore",
    }),

  async plan({ run, draft, recorded, replaced, predecessor }) {
    const { known, inputs, unknown } = draft;
    const { zoneId, connection } = known;
    if (recorded || zoneId === undefined || unknown.has("connection")) return nothingToDo;
    const found = await run.client(connection).getSettings(zoneId);
    readings(run, zoneId).last = { at: run.now(), found };
    const initial = (replaced ?? predecessor?.())?.initial;
    return { findings: inputs ? adoption(found, inputs, initial) : [], needsUpdate: false };
  },

  async create({ run, inputs, replaced = {}, predecessor }) {
    // 1. Observe the settings, which a later destroy restores. A recent reading by `plan` can be used once. If it already shows
    // the declared settings, they may come from another resource that this update moves out of the zone. `predecessor` finds that
    // resource only after the engine has compared it, and reading the settings again gives the engine time for that comparison.
    const reading = readings(run, inputs.zoneId);
    const { last } = reading;
    reading.last = undefined;
    const isRecent = last !== undefined && run.now() - last.at <= maxAgeMs;
    const isUsable = isRecent && Object.keys(findDifference(last.found, pick(inputs, inputs))).length > 0;
    const found = isUsable ? last.found : await run.client(inputs.connection).getSettings(inputs.zoneId);
    // 2. Sync. A zone always has settings, so there is nothing to create.
    return { id: inputs.zoneId, state: await sync(run, inputs.zoneId, inputs, replaced, found, predecessor) };
  },

  async read({ run, id, state }) {
    const { onDestroy, connection, initial, ...declared } = state;
    const client = run.client(connection);
    const live = await unlessGone(client, id, () => client.getSettings(id), isObjectGone);
    if (!live) return undefined;
    const { enabled, updatedAt } = live;
    const inputs = { zoneId: id, enabled, onDestroy, connection, ...pick(live, declared) };
    return { inputs, state: { ...inputs, updatedAt, initial: initial ?? settingsDeclaration(live) } };
  },

  async update({ run, id, state, inputs }) {
    return sync(run, id, inputs, state, await run.client(inputs.connection).getSettings(id));
  },

  async delete({ run, id, state }) {
    const { onDestroy, connection } = state;
    // If this resource has a successor, restoring the settings would undo the successor's work.
    if (onDestroy === "keep" || hasSuccessor(run, name, id)) return;
    // After the restore, the settings that `plan` read earlier are stale. Forget them, so that no successor uses them.
    readings(run, id).last = undefined;
    const client = run.client(connection);
    const restore = async (): Promise<void> => {
      const change = dueChange(await client.getSettings(id), state, afterDestroy(state));
      if (Object.keys(change).length > 0) await client.updateSettings(id, change);
    };
    await unlessGone(client, id, restore, isObjectGone);
  },
};

/**
 * Returns the switches whose wanted value differs from the reading, or from the state, because the reading may not show the last
 * update yet. Returns all wanted switches if the outcome of the last update is unknown.
 */
function dueChange(found: Settings, recorded: State, wanted: SettingsChange): SettingsChange {
  if (recorded.incomplete) return wanted;
  return findDifference(found, wanted, { ...found, ...pick(recorded, recorded) });
}

/** Sends one PUT request with the switches that differ; no request if none differ. */
async function sync(
  run: Run,
  zoneId: string,
  inputs: Inputs,
  before: State,
  found: Settings,
  predecessor: () => State | undefined = () => undefined,
): Promise<State> {
  const makeState = (): State => {
    return { ...inputs, initial: before.initial ?? predecessor()?.initial ?? settingsDeclaration(found) };
  };
  const change = dueChange(found, before, afterUpdate(inputs, { ...before, initial: makeState().initial }));
  if (Object.keys(change).length === 0) return { ...makeState(), updatedAt: found.updatedAt };
  try {
    const { updatedAt } = await run.client(inputs.connection).updateSettings(zoneId, change);
    return { ...makeState(), updatedAt };
  } catch (error) {
    // Switches that the program no longer declares stay in the state until it is certain that their original values are restored.
    if (mayHaveActed(error)) throw new PartialFailureError(zoneId, { ...before, ...makeState() }, error);
    throw error;
  }
}

/** Returns a finding about settings that a create adopts; none if monitoring is off and only `enabled` changes. */
function adoption(found: Settings, inputs: Inputs, initial: State["initial"]): Finding[] {
  const changed = Object.keys(findDifference(found, pick(inputs, inputs)));
  if (!found.enabled && changed.every((input) => input === "enabled")) return [];
  const { onDestroy = "restore" } = inputs;
  const ifRenamed = initial ? "" : warnIfRenamed("settings");
  const then = {
    keep: "A destroy will leave them as they are.",
    disable: "A destroy will switch monitoring off.",
    restore: `From now on a destroy will restore ${inWords(pick(initial ?? found, inputs))}.${ifRenamed}`,
  };
  const message = `the zone already has settings (${inWords(found)}), and this resource adopts them. ${then[onDestroy]}`;
  return [makeInfo("", "settings-adopted", message)];
}

function inWords(values: Switches): string {
  const set = switches.filter((input) => values[input] !== undefined);
  return set.map((input) => `${input} ${values[input]}`).join(", ");
}
