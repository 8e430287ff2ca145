import type { ReviewLoss } from "../../reports/review/review";
import { type Switch, switches } from "../../resources/page-guard-settings/state";
import { grouped } from "../../text/data";
import type { ZoneValues } from "../../zone/read-zone";
import { distinct, recordIn } from "../values";
import { policyChanges } from "./policies";
import type { PreviewStep, Values } from "./preview-read";
import { ruleChanges } from "./rules";
import { isChanging, type ObjectChange, type Outcome, type Side, sidesIn, zonesOf } from "./zone-objects";

/** What a plan does in its zones: from what they hold, where they were read, what is declared, and what the state has. */
export function zoneChanges(
  steps: readonly PreviewStep[],
  valuesOf: (zone: string) => ZoneValues | undefined = () => undefined,
): Outcome {
  const changing = steps.filter((step) => step.isOurs && isChanging(step));
  const zones = new Set(changing.flatMap((step) => [...zonesOf(step), step.zone]));
  const outcomes = [...zones].sort().flatMap((zone) => {
    const sides = sidesIn(zone, steps);
    const { settings, policies, entrypoint } = (zone === undefined ? undefined : valuesOf(zone)) ?? {};
    return [
      policyChanges(zone, sides, policies),
      ruleChanges(zone, sides, entrypoint),
      settingsChanges(zone, sides, settings),
    ];
  });
  return {
    changes: outcomes.flatMap(({ changes }) => changes),
    losses: outcomes.flatMap(({ losses }) => losses),
  };
}

/** The same object in several zones is one entry. */
export function joinedLosses(losses: readonly ReviewLoss[]): ReviewLoss[] {
  const groups = grouped(losses, ({ kind, fate, label, content }) =>
    JSON.stringify([kind, fate, label, content]),
  );
  return [...groups.values()].map((group) => ({
    ...group[0],
    places: group.flatMap(({ places }) => places),
    by: distinct(group.flatMap(({ by }) => by)),
  }));
}

function settingsChanges(
  zone: string | undefined,
  sides: readonly Side[],
  live: Partial<Record<Switch, boolean>> | undefined,
): Outcome {
  const all = sides.filter(({ step }) => step.kind === "PageGuardSettings");
  const side = all.find(({ becomes }) => becomes) ?? all[0];
  if (!side || !isChanging(side.step)) return { changes: [], losses: [] };
  const { step, was, becomes } = side;
  // Those of the zone stay where they are declared under another name.
  const now: Values | undefined = (live && { ...live }) ?? all.find((one) => one.was)?.was;
  const of = (fate: ObjectChange["fate"], isWeaker: boolean): Outcome => ({
    changes: [
      {
        ...{ step, zone, kind: "settings", fate, label: step.name, id: undefined },
        weaker: isWeaker ? "monitoring switched off" : undefined,
      },
    ],
    losses: [],
  });
  if (becomes) {
    const isSame = switches.every((name) => becomes[name] === undefined || becomes[name] === now?.[name]);
    if (isSame && now) return was ? { changes: [], losses: [] } : of("adopt", false);
    const isOff = becomes["enabled"] !== true && (now === undefined || now["enabled"] === true);
    return of(now ? "update" : "create", isOff);
  }
  const onDestroy = was?.["onDestroy"] ?? "restore";
  const isLeft = step.isRetained || onDestroy === "keep";
  const isOff = onDestroy === "disable" || recordIn(was?.["initial"])["enabled"] === false;
  return of(
    isLeft ? "leave" : onDestroy === "disable" ? "update" : "restore",
    !isLeft && isOff && now?.["enabled"] !== false,
  );
}
