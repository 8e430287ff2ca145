import { objectOf, type Rule, type ZonePart, type ZoneValues } from "pulumi-page-guard/tools";
import { isChanging, type PreviewRead, type Values, zonesOf } from "../preview/preview-read";
import { recordIn } from "../values";
import { namesOf, reasonOf } from "../zones";
import { nothing, type ObjectChange, type Outcome, type Side, type Step, sidesIn } from "./objects";
import { policyChanges } from "./policies";
import { plannedZones, type Reading, readZones } from "./read-zones";
import { ruleChanges } from "./rules";

/** What the zones of a plan hold, read once before anything is written. */
export interface ZonesRead {
  readonly values: ReadonlyMap<string, ZoneValues>;
  /** Why a zone, or a part of it, could not be read, with its name. */
  readonly unread: readonly { readonly zone: string; readonly reason: string }[];
}

export const usualParts = ["settings", "policies", "entrypoint"] as const satisfies readonly ZonePart[];

/** Reads each zone that the plan changes, where the plan changes it: one list for each kind of its resources. */
export async function readChangedZones(reading: Reading, { steps }: PreviewRead): Promise<ZonesRead> {
  const zones = plannedZones(steps.filter((step) => step.isOurs && isChanging(step)));
  const nameOf = namesOf(reading.session);
  const all = await readZones(reading, zones, ({ needed }) =>
    usualParts.filter((part) => needed.includes(part)),
  );
  return {
    values: new Map(all.flatMap(({ zone, read }) => (read ? [[zone.zoneId, read.values]] : []))),
    unread: all.flatMap((one) => {
      const { zoneId: zone } = one.zone;
      const because = (why: string) => ({ zone, reason: `${nameOf(zone)}: ${why}` });
      if (!one.read) return [because(reasonOf(one.error))];
      return one.read.unread.map(({ part, error }) => because(`${part}: ${reasonOf(error)}`));
    }),
  };
}

/** What a plan does in its zones: from what they hold, where they were read, what is declared, and what the state has. */
export function zoneChanges(
  steps: readonly Step[],
  values: ReadonlyMap<string, ZoneValues> = new Map(),
): Outcome {
  const changing = steps.filter((step) => step.isOurs && isChanging(step));
  const zones = new Set(changing.flatMap((step) => [...zonesOf(step), step.zone]));
  const outcomes = [...zones].sort().map((zone) => {
    const { settings, policies, entrypoint } = values.get(zone ?? "") ?? {};
    return changesIn(zone, steps, {
      settings: settings && { ...settings },
      policies: policies && new Map(policies.map((policy) => [policy.policyId, { ...policy }])),
      rules: entrypoint?.rules,
    });
  });
  return joined(outcomes);
}

/** The same of one zone. What was not read of it is undefined. */
export function changesIn(
  zone: string | undefined,
  steps: readonly Step[],
  live: {
    readonly settings: Values | undefined;
    readonly policies: ReadonlyMap<string, Values> | undefined;
    readonly rules: readonly Rule[] | undefined;
  },
): Outcome {
  const sides = sidesIn(zone, steps);
  return joined([
    policyChanges(zone, sides, live.policies),
    ruleChanges(zone, sides, live.rules),
    settingsChanges(zone, sides, live.settings),
  ]);
}

function joined(outcomes: readonly Outcome[]): Outcome {
  return {
    changes: outcomes.flatMap(({ changes }) => changes),
    losses: outcomes.flatMap(({ losses }) => losses),
  };
}

function settingsChanges(zone: string | undefined, sides: readonly Side[], live?: Values): Outcome {
  const all = sides.filter(({ step }) => objectOf(step.kind) === "settings");
  const side = all.find(({ becomes }) => becomes) ?? all[0];
  if (!side || !isChanging(side.step)) return nothing;
  const { step, was, becomes } = side;
  // Those of the zone stay where they are declared under another name.
  const now = live ?? all.find((one) => one.was)?.was;
  const of = (fate: ObjectChange["fate"], to: Values = {}): Outcome => {
    const isOff = fate !== "adopt" && "enabled" in to && to["enabled"] !== true && now?.["enabled"] !== false;
    const weaker = isOff ? "monitoring switched off" : undefined;
    const change = { step, zone, fate, label: step.name, id: undefined, becomes: to, weaker };
    return { ...nothing, changes: [{ kind: "settings", ...change }] };
  };
  if (becomes) {
    const { zoneId: _, onDestroy: _kept, connection: _way, ...declared } = becomes;
    const isSame = Object.entries(declared).every(([name, value]) => value === now?.[name]);
    if (isSame && now) return was ? nothing : of("adopt", becomes);
    return of(now ? "update" : "create", becomes);
  }
  const onDestroy = was?.["onDestroy"] ?? "restore";
  if (step.isRetained || onDestroy === "keep") return of("leave");
  if (onDestroy === "disable") return of("update", { enabled: false });
  return of("restore", recordIn(was?.["initial"]));
}
