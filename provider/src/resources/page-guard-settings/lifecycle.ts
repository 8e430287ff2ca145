import type { Settings, SettingsChange } from "../../api/client-types";
import { NotFoundError } from "../../errors/not-found-error";
import type { Kind } from "../../lifecycle/kind";
import { mayHaveActed } from "../../lifecycle/may-have-acted";
import { PartialFailure } from "../../lifecycle/partial-failure";
import type { Run } from "../../lifecycle/run";
import { isSameZone } from "../../lifecycle/same-zone";
import { isZoneDeclared } from "../../lifecycle/zone-claims";
import { type Inputs, inputsSchema, type State, shape, stateSchema, switches } from "./state";

const name = "PageGuardSettings";

export const pageGuardSettings: Kind<Inputs, State> = {
  name,
  shape,
  replacedBy: ["zoneId"],
  onePerZone: true,
  parseInputs: (inputs) => inputsSchema.parse(inputs),
  parseState: (state) => stateSchema.parse(state),

  changedInputs(recorded, declared) {
    const onDestroy = (recorded["onDestroy"] ?? "restore") !== (declared["onDestroy"] ?? "restore");
    const others: string[] = switches.filter((input) => recorded[input] !== declared[input]);
    if (!isSameZone(recorded["zoneId"], declared["zoneId"])) others.push("zoneId");
    return onDestroy ? [...others, "onDestroy"] : others;
  },

  async preflight(run, { now }) {
    const { zoneId, connection } = inputsSchema.pick({ zoneId: true, connection: true }).parse(now);
    await run.client(connection).getSettings(zoneId);
    return [];
  },

  async create(run, inputs) {
    // 1. Observe: what is found now is what a destroy puts back.
    const found = await run.client(inputs.connection).getSettings(inputs.zoneId);
    const initial = initialOf(found);
    // 2. Ensure and sync are one: a zone always has settings.
    return { id: inputs.zoneId, state: await sync(run, inputs.zoneId, found, inputs, initial) };
  },

  async read(run, id, state) {
    let live: Settings;
    try {
      live = await run.client(state.connection).getSettings(id);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
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
    const released = inputs.onDestroy === "keep" ? {} : letGo(state, inputs, initial);
    return sync(run, id, found, inputs, initial, released, state);
  },

  async delete(run, id, state) {
    const onDestroy = state.onDestroy ?? "restore";
    // A successor of this resource has the zone now: undoing our work would undo its work.
    if (onDestroy === "keep" || isZoneDeclared(run, name, id)) return;
    const target = onDestroy === "disable" ? { enabled: false } : restored(state);
    const client = run.client(state.connection);
    try {
      const change = difference(await client.getSettings(id), target);
      if (Object.keys(change).length > 0) await client.updateSettings(id, change);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  },
};

/** One PUT of just what differs, or none at all. */
async function sync(
  run: Run,
  zoneId: string,
  found: Settings,
  inputs: Inputs,
  initial: NonNullable<State["initial"]>,
  released: SettingsChange = {},
  before: State = {},
): Promise<State> {
  const change = difference(found, { ...released, ...declaredSwitches(inputs) });
  const state = { ...inputs, initial };
  if (Object.keys(change).length === 0) return { ...state, updatedAt: found.updatedAt };
  try {
    const settled = await run.client(inputs.connection).updateSettings(zoneId, change);
    return { ...state, updatedAt: settled.updatedAt };
  } catch (error) {
    // A switch that is being let go stays on record until that has surely happened.
    if (mayHaveActed(error)) throw new PartialFailure(zoneId, { ...before, ...state }, error);
    throw error;
  }
}

function declaredSwitches(inputs: Partial<Inputs>): SettingsChange {
  return Object.fromEntries(
    switches.filter((input) => inputs[input] !== undefined).map((input) => [input, inputs[input]]),
  );
}

/** A switch that the program no longer declares goes back to what was found. */
function letGo(state: State, inputs: Inputs, initial: NonNullable<State["initial"]>): SettingsChange {
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

function initialOf({ updatedAt: _, ...switchesFound }: Settings): NonNullable<State["initial"]> {
  return switchesFound;
}
