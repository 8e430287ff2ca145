import type { SettingsChange } from "../../api/client-types";
import { type Effect, isChanging, type ResourceChange, type ZoneObjects } from "../../model/effect";
import { secretText } from "../../model/engine-marks";
import type { Properties } from "../../model/properties";
import { isHidden } from "../../model/unknown";
import { switches } from "./state";

export type Switches = { readonly [Input in (typeof switches)[number]]?: unknown };

/** Computes the effect of an update on a zone's settings. A deletion has no effect if another resource still declares them. */
export function settingsEffects<Resource extends ResourceChange>(
  resources: readonly Resource[],
  { settings }: ZoneObjects,
): readonly Effect<Resource>[] {
  const by = resources.find(({ becomes }) => becomes) ?? resources[0];
  if (!by || !isChanging(by)) return [];
  const { becomes } = by;
  const was = by.was && withHidden(by.was, becomes ?? by.was);
  const before: Properties | undefined = settings ? { ...settings } : resources.find((one) => one.was)?.was;
  const effect = (fate: Effect["fate"], change: Switches = {}): readonly Effect<Resource>[] => {
    const isOff = "enabled" in change && change.enabled !== true && before?.["enabled"] !== false;
    const after = { ...before, ...change };
    const object = { kind: "settings", label: by.name } as const;
    const isOpen = Object.values(change).some(isHidden);
    return [
      { object, fate, by, before, after, weaker: isOff ? "monitoring switched off" : undefined, isOpen },
    ];
  };
  const change = findDifference(before ?? {}, becomes ? afterUpdate(becomes, was) : afterDestroy({ ...was }));
  const isSame = Object.keys(change).length === 0;
  if (becomes) {
    if (!before) return effect("create", change);
    return isSame ? (was ? [] : effect("adopt")) : effect("update", change);
  }
  if (by.isRetained || isSame) return effect("leave");
  return effect(was?.["onDestroy"] === "disable" ? "update" : "restore", change);
}

/**
 * Returns the state `was`. If `onDestroy` in `decides` or the initial settings are secret or not known yet, it is unclear which
 * switches the update restores. Then every initial switch in the result is hidden.
 */
function withHidden(was: Properties, decides: Properties): Properties {
  if (![decides["onDestroy"], was["initial"]].some(isHidden)) return was;
  return { ...was, initial: Object.fromEntries(switches.map((input) => [input, Symbol(secretText)])) };
}

/**
 * Returns the switches that an update sets. A switch that the program no longer declares gets the value found before the first
 * change, unless `onDestroy` is "keep".
 */
export function afterUpdate(declared: Properties, was: Properties = {}): SettingsChange {
  const initial = declared["onDestroy"] === "keep" ? {} : pick(Object(was["initial"]), was);
  return { ...initial, ...pick(declared, declared) };
}

/** Returns the switches that a destroy sets. A switch that is not in the state stays as it is. */
export function afterDestroy(was: Properties): SettingsChange {
  const { onDestroy, initial } = was;
  if (onDestroy === "keep") return {};
  return onDestroy === "disable" ? { enabled: false } : pick(Object(initial), was);
}

/** Returns the switches of `values` that `declared` sets too. */
export function pick(values: Switches, declared: Switches): SettingsChange {
  const both = switches.filter((input) => values[input] !== undefined && declared[input] !== undefined);
  return Object.fromEntries(both.map((input) => [input, values[input]]));
}

/** Returns the switches of `wanted` that differ from `found`, or from `recorded`. */
export function findDifference(found: Switches, wanted: Switches, recorded = found): SettingsChange {
  const different = switches.filter(
    (input) => wanted[input] !== found[input] || wanted[input] !== recorded[input],
  );
  const set = different.filter((input) => wanted[input] !== undefined);
  return Object.fromEntries(set.map((input) => [input, wanted[input]]));
}
