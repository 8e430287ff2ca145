import { allInFlight, readZone, switches, type ZoneValues } from "pulumi-page-guard/tools";
import { plannedZones } from "../approval/plan";
import { type Approving, clientsOf } from "../approval/read-zones";
import {
  isChanging,
  type PreviewRead,
  type PreviewStep,
  type Values,
  zonesOf,
} from "../preview/preview-read";
import { Progress } from "../progress";
import { recordIn } from "../values";
import { reasonOf, zonesAtOnce } from "../zones";
import { nothing, type ObjectChange, type Outcome, type Side, sidesIn } from "./objects";
import { policyChanges } from "./policies";
import { ruleChanges } from "./rules";

/** What the zones of a plan hold, read once before anything is written. */
export interface ZonesRead {
  readonly values: ReadonlyMap<string, ZoneValues>;
  /** Why a zone, or a part of it, could not be read. */
  readonly unread: readonly { readonly zone: string; readonly reason: string }[];
}

/** Reads each zone that the plan changes, where the plan changes it: one list for each kind of its resources. */
export async function readChangedZones(approving: Approving, { steps }: PreviewRead): Promise<ZonesRead> {
  const zones = plannedZones(steps.filter((step) => step.isOurs && isChanging(step)));
  const clientFor = await clientsOf(approving, zones);
  const values = new Map<string, ZoneValues>();
  const unread: { zone: string; reason: string }[] = [];
  await new Progress(approving.session).during("Reading zones", () =>
    allInFlight(zonesAtOnce, zones, async (planned) => {
      const { zoneId: zone, needed } = planned;
      try {
        const parts = (["settings", "policies", "entrypoint"] as const).filter((part) => needed.has(part));
        const read = await readZone(clientFor(planned), zone, parts);
        values.set(zone, read.values);
        for (const { part, error } of read.unread)
          unread.push({ zone, reason: `${part}: ${reasonOf(error)}` });
      } catch (error) {
        unread.push({ zone, reason: reasonOf(error) });
      }
    }),
  );
  return { values, unread: unread.sort((left, right) => (left.zone < right.zone ? -1 : 1)) };
}

/** What a plan does in its zones: from what they hold, where they were read, what is declared, and what the state has. */
export function zoneChanges(
  steps: readonly PreviewStep[],
  values: ReadonlyMap<string, ZoneValues> = new Map(),
): Outcome {
  const changing = steps.filter((step) => step.isOurs && isChanging(step));
  const zones = new Set(changing.flatMap((step) => [...zonesOf(step), step.zone]));
  const outcomes = [...zones].sort().flatMap((zone) => {
    const sides = sidesIn(zone, steps);
    const { settings, policies, entrypoint } = values.get(zone ?? "") ?? {};
    return [
      policyChanges(zone, sides, policies),
      ruleChanges(zone, sides, entrypoint),
      settingsChanges(zone, sides, settings && { ...settings }),
    ];
  });
  return {
    changes: outcomes.flatMap(({ changes }) => changes),
    losses: outcomes.flatMap(({ losses }) => losses),
  };
}

function settingsChanges(
  zone: string | undefined,
  sides: readonly Side[],
  live: Values | undefined,
): Outcome {
  const all = sides.filter(({ step }) => step.kind === "PageGuardSettings");
  const side = all.find(({ becomes }) => becomes) ?? all[0];
  if (!side || !isChanging(side.step)) return nothing;
  const { step, was, becomes } = side;
  // Those of the zone stay where they are declared under another name.
  const now = live ?? all.find((one) => one.was)?.was;
  const of = (fate: ObjectChange["fate"], isOff: boolean): Outcome => {
    const weaker = isOff ? "monitoring switched off" : undefined;
    return {
      ...nothing,
      changes: [{ step, zone, kind: "settings", fate, label: step.name, id: undefined, weaker }],
    };
  };
  if (becomes) {
    const isSame = switches.every((name) => becomes[name] === undefined || becomes[name] === now?.[name]);
    if (isSame && now) return was ? nothing : of("adopt", false);
    return of(now ? "update" : "create", becomes["enabled"] !== true && now?.["enabled"] !== false);
  }
  const onDestroy = was?.["onDestroy"] ?? "restore";
  if (step.isRetained || onDestroy === "keep") return of("leave", false);
  const isOff = onDestroy === "disable" || recordIn(was?.["initial"])["enabled"] === false;
  return of(onDestroy === "disable" ? "update" : "restore", isOff && now?.["enabled"] !== false);
}
