import type { PageGuardClient, Settings, SettingsChange } from "../../api/client-types";
import { isObjectGone } from "../../errors/not-found-error";
import { changedNames } from "../../lifecycle/changed-inputs";
import { schemasOf } from "../../lifecycle/draft";
import { isZoneGone } from "../../lifecycle/gone-zone";
import { type Kind, nothingToDo } from "../../lifecycle/kind";
import { mayHaveActed } from "../../lifecycle/may-have-acted";
import { PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { hasSuccessor } from "../../lifecycle/zone-claims";
import { foundSettings } from "./found-settings";
import { type Inputs, type State, shape, stateSchema, switches } from "./state";
import { initialOf, takeOverFindings } from "./take-over";

const name = "PageGuardSettings";

export const pageGuardSettings: Kind<Inputs, State> = {
  name,
  ...schemasOf(shape, stateSchema),
  replacedBy: ["zoneId"],
  onePerZone: true,

  changedInputs: (state, { values }) =>
    changedNames(state, values, {
      enabled: undefined,
      useVendorReportingEndpoint: undefined,
      useConnectionUrlPath: undefined,
      onDestroy: "restore",
    }),

  // Replaced on request (`replaceOnChanges`), it still knows what was there before its own first
  // change. With `--replace` the engine shows the state to no one, except in a refresh in the same run.
  claim(run, _draft, recorded) {
    if (recorded?.state.initial) foundSettings(run, recorded.id).recorded = recorded.state;
    return {};
  },

  async plan(run, { known: { zoneId, connection }, inputs, unknown }, recorded) {
    if (recorded || zoneId === undefined || unknown.has("connection")) return nothingToDo;
    const before = foundSettings(run, zoneId);
    const found = await before.look(() => run.client(connection).getSettings(zoneId));
    const findings = inputs ? takeOverFindings(found, inputs, before.recorded?.initial) : [];
    return { findings, needsUpdate: false };
  },

  async create(run, inputs) {
    // 1. Observe: what is found now is what a destroy puts back. The reading of `check` a moment ago will do.
    const before = foundSettings(run, inputs.zoneId);
    const found = await before.use(() => run.client(inputs.connection).getSettings(inputs.zoneId));
    const replaced = before.recorded ?? {};
    const initial = replaced.initial ?? initialOf(found);
    // 2. Ensure and sync are one: a zone always has settings.
    const released = letGo(replaced, inputs, initial);
    const state = await sync(run, inputs.zoneId, found, inputs, initial, released, replaced);
    return { id: inputs.zoneId, state };
  },

  async read(run, id, state) {
    const client = run.client(state.connection);
    let live: Settings;
    try {
      live = await client.getSettings(id);
    } catch (error) {
      if (await isGone(error, client, id)) return undefined;
      throw error;
    }
    // A resource that was renamed in the same run still knows what was there before either.
    if (state.initial) foundSettings(run, id).recorded = state;
    const values = Object.fromEntries(
      switches.filter((input) => state[input] !== undefined).map((input) => [input, live[input]]),
    );
    const inputs = {
      zoneId: id,
      enabled: live.enabled,
      onDestroy: state.onDestroy,
      connection: state.connection,
      ...values,
    };
    return {
      inputs,
      state: { ...inputs, updatedAt: live.updatedAt, initial: state.initial ?? initialOf(live) },
    };
  },

  async update(run, id, state, inputs) {
    const found = await run.client(inputs.connection).getSettings(id);
    const initial = state.initial ?? initialOf(found);
    const released = letGo(state, inputs, initial);
    return sync(run, id, found, inputs, initial, released, state);
  },

  async delete(run, id, state) {
    const onDestroy = state.onDestroy ?? "restore";
    // A successor of this resource has the zone now: undoing our work would undo its work.
    if (onDestroy === "keep" || hasSuccessor(run, name, id)) return;
    // What `check` has seen for a successor is not so any more.
    foundSettings(run, id).forget();
    const target = onDestroy === "disable" ? { enabled: false } : restored(state);
    const client = run.client(state.connection);
    try {
      const change = difference(await client.getSettings(id), target);
      if (Object.keys(change).length > 0) await client.updateSettings(id, change);
    } catch (error) {
      if (!(await isGone(error, client, id))) throw error;
    }
  },
};

/** A zone always has settings. Where a service knows the route and not the zone's settings, there is nothing to restore either. */
async function isGone(error: unknown, client: PageGuardClient, zoneId: string): Promise<boolean> {
  return isObjectGone(error) || isZoneGone(error, client, zoneId);
}

/** One PUT of just what differs, or none at all. */
async function sync(
  run: Run,
  zoneId: string,
  found: Settings,
  inputs: Inputs,
  initial: NonNullable<State["initial"]>,
  released: SettingsChange,
  before: State,
): Promise<State> {
  const change = difference(found, { ...released, ...declaredSwitches(inputs) });
  const state = { ...inputs, initial };
  if (Object.keys(change).length === 0) return { ...state, updatedAt: found.updatedAt };
  try {
    const settled = await run.client(inputs.connection).updateSettings(zoneId, change);
    return { ...state, updatedAt: settled.updatedAt };
  } catch (error) {
    // A switch that is being released stays in the state until that has surely happened.
    if (mayHaveActed(error)) throw new PartialFailureError(zoneId, { ...before, ...state }, error);
    throw error;
  }
}

function declaredSwitches(inputs: Partial<Inputs>): SettingsChange {
  return Object.fromEntries(
    switches.filter((input) => inputs[input] !== undefined).map((input) => [input, inputs[input]]),
  );
}

/** A switch that the program no longer declares is restored to what was found, unless what is there is to stay. */
function letGo(state: State, inputs: Inputs, initial: NonNullable<State["initial"]>): SettingsChange {
  if (inputs.onDestroy === "keep") return {};
  return Object.fromEntries(
    switches
      .filter(
        (input) => state[input] !== undefined && inputs[input] === undefined && initial[input] !== undefined,
      )
      .map((input) => [input, initial[input]]),
  );
}

/** Only what this resource declared is put back: a colleague's change of another switch stays. */
function restored(state: State): SettingsChange {
  const { initial } = state;
  if (!initial) return {};
  return Object.fromEntries(
    switches
      .filter((input) => state[input] !== undefined && initial[input] !== undefined)
      .map((input) => [input, initial[input]]),
  );
}

function difference(found: Settings, wanted: SettingsChange): SettingsChange {
  return Object.fromEntries(
    switches
      .filter((input) => wanted[input] !== undefined && wanted[input] !== found[input])
      .map((input) => [input, wanted[input]]),
  );
}
