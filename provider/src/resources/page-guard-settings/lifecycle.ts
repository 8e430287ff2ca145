import type { PageGuardClient, Settings, SettingsChange } from "../../api/client-types";
import { isObjectGone } from "../../errors/api-error";
import { isZoneGone } from "../../functions/read-zone";
import { changedNames, schemasOf } from "../../lifecycle/draft";
import { type Kind, nothingToDo } from "../../lifecycle/kind";
import { inZone } from "../../lifecycle/memory";
import { mayHaveActed, PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { hasSuccessor } from "../../lifecycle/zone-claims";
import { type Finding, infoOn } from "../../model/finding";
import { type Initial, type Inputs, type State, type Switch, shape, stateSchema, switches } from "./state";
import { settingsDeclaration } from "./to-declaration";

const name = "PageGuardSettings";

/** How old the reading of `check` may be for the create that follows it. */
const maxAgeMs = 60_000;

/** What this run has seen of a zone's settings before it changed them. */
interface FoundSettings {
  /** States that were compared with the program, by URN: a resource that is replaced keeps what it found first. */
  readonly compared: Map<string, State>;
  /** By `check`, for the create that follows it. */
  seen?: { readonly at: number; readonly settings: Settings } | undefined;
}

const foundSettings = inZone((): FoundSettings => ({ compared: new Map() }));

export const pageGuardSettings: Kind<Inputs, State> = {
  name,
  ...schemasOf(shape, stateSchema),
  replacedBy: ["zoneId"],
  onePerZone: true,
  parts: ["settings"],
  inZone: { object: "settings" },
  outputs: { updatedAt: [], initial: [] },

  changedInputs: (state, { values }) =>
    changedNames(state, values, {
      enabled: undefined,
      useVendorReportingEndpoint: undefined,
      useConnectionUrlPath: undefined,
      onDestroy: "restore",
    }),

  // Replaced on request (`replaceOnChanges`), it still knows what was there before its own first
  // change. With `--replace` the engine shows the state to no one.
  claim(run, { urn }, recorded) {
    if (recorded) foundSettings(run, recorded.id).compared.set(urn, recorded.state);
    return {};
  },

  async plan(run, { known: { zoneId, connection }, inputs, unknown, urn }, recorded) {
    if (recorded || zoneId === undefined || unknown.has("connection")) return nothingToDo;
    const before = foundSettings(run, zoneId);
    const settings = await run.client(connection).getSettings(zoneId);
    before.seen = { at: run.now(), settings };
    const findings = inputs ? takeOverFindings(settings, inputs, before.compared.get(urn)?.initial) : [];
    return { findings, needsUpdate: false };
  },

  async create(run, inputs, urn) {
    // 1. Observe: what is found now is what a destroy puts back. The reading of `check` a moment ago will do, once.
    const known = foundSettings(run, inputs.zoneId);
    const { seen } = known;
    known.seen = undefined;
    const isFresh = seen !== undefined && run.now() - seen.at <= maxAgeMs;
    const found = isFresh ? seen.settings : await run.client(inputs.connection).getSettings(inputs.zoneId);
    // 2. Ensure and sync are one: a zone always has settings.
    return {
      id: inputs.zoneId,
      state: await sync(run, inputs.zoneId, inputs, known.compared.get(urn) ?? {}, found),
    };
  },

  async read(run, id, state) {
    const client = run.client(state.connection);
    const live = await client.getSettings(id).catch(async (error) => {
      if (!(await isGone(error, client, id))) throw error;
    });
    if (!live) return undefined;
    const inputs = {
      zoneId: id,
      enabled: live.enabled,
      onDestroy: state.onDestroy,
      connection: state.connection,
      ...pick(live, (input) => state[input] !== undefined),
    };
    return {
      inputs,
      state: { ...inputs, updatedAt: live.updatedAt, initial: state.initial ?? settingsDeclaration(live) },
    };
  },

  async update(run, id, state, inputs) {
    return sync(run, id, inputs, state, await run.client(inputs.connection).getSettings(id));
  },

  async delete(run, id, state) {
    const onDestroy = state.onDestroy ?? "restore";
    // A successor of this resource has the zone now: undoing our work would undo its work.
    if (onDestroy === "keep" || hasSuccessor(run, name, id)) return;
    // What `check` has seen for a successor is not so any more.
    foundSettings(run, id).seen = undefined;
    // Only what this resource declared is put back: a colleague's change of another switch stays.
    const found = pick(state.initial ?? {}, (input) => state[input] !== undefined);
    const target = onDestroy === "disable" ? { enabled: false } : found;
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
  inputs: Inputs,
  before: State,
  found: Settings,
): Promise<State> {
  const initial = before.initial ?? settingsDeclaration(found);
  const declared = pick(inputs, () => true);
  const change = difference(found, { ...released(before, inputs, initial), ...declared });
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

/** A switch that the program no longer declares is restored to what was found, unless what is there is to stay. */
function released(state: State, inputs: Inputs, initial: Initial): SettingsChange {
  if (inputs.onDestroy === "keep") return {};
  return pick(initial, (input) => state[input] !== undefined && inputs[input] === undefined);
}

function difference(found: Settings, wanted: SettingsChange): SettingsChange {
  return pick(wanted, (input) => wanted[input] !== found[input]);
}

/** The switches of `values` that are set and wanted. */
function pick(values: Partial<Initial>, isWanted: (input: Switch) => boolean): SettingsChange {
  return Object.fromEntries(
    switches.flatMap((input) =>
      values[input] !== undefined && isWanted(input) ? [[input, values[input]]] : [],
    ),
  );
}

/**
 * What a create is about to adopt: settings that someone has set up. A zone that is not watched yet has nothing to
 * lose but for the switches that are declared besides.
 */
function takeOverFindings(found: Settings, inputs: Inputs, known: Initial | undefined): Finding[] {
  const changed = switches.filter((input) => inputs[input] !== undefined && inputs[input] !== found[input]);
  if (!found.enabled && changed.every((input) => input === "enabled")) return [];
  const message = `the zone's settings are already in use (${inWords(found)}) and are adopted. ${onDestroy(inputs, known ?? settingsDeclaration(found))}${afterRename(inputs, known)}`;
  return [infoOn("", "settings-adopted", message)];
}

function onDestroy(inputs: Inputs, initial: Initial): string {
  if (inputs.onDestroy === "keep") return "A destroy will leave them as they are.";
  if (inputs.onDestroy === "disable") return "A destroy will switch the watching off.";
  const declared = switches.filter((input) => inputs[input] !== undefined && initial[input] !== undefined);
  const back = Object.fromEntries(declared.map((input) => [input, initial[input]]));
  return `From now on a destroy will restore ${inWords(back)}.`;
}

/** Only the old record knows what was there before it. The engine shows it neither for another name nor with `--replace`. */
function afterRename({ onDestroy: after = "restore" }: Inputs, known: Initial | undefined): string {
  if (known || after !== "restore") return "";
  return ` If this resource was only renamed, or is recreated by --replace, the original settings recorded by the old resource are lost, unless it is deleted first (deleteBeforeReplace): keep them with aliases: [{ name: "the old name" }] in its options.`;
}

function inWords(values: Initial | Partial<Initial>): string {
  return switches
    .filter((input) => values[input] !== undefined)
    .map((input) => `${input} ${values[input]}`)
    .join(", ");
}
