import { switches } from "../../resources/page-guard-settings/state";
import { recordIn } from "../values";
import type { PreviewStep, Values } from "./preview-read";
import { type Fate, isChanging, type ObjectChange, sidesOf, zoneIn } from "./zone-objects";

/** What happens to the settings of zones. */
export function settingsChanges(steps: readonly PreviewStep[]): ObjectChange[] {
  return steps
    .filter((step) => step.isOurs && step.kind === "PageGuardSettings" && isChanging(step))
    .flatMap(changesIn);
}

function changesIn(step: PreviewStep): ObjectChange[] {
  const { was, becomes } = sidesOf(step);
  const of = (fate: Fate, values: Values, isWeaker: boolean): ObjectChange => ({
    ...{ step, kind: "settings", fate, label: step.name, id: undefined },
    zone: zoneIn(values),
    weaker: isWeaker ? "monitoring switched off" : undefined,
  });
  if (was && becomes && step.op !== "replace") {
    if (switches.every((name) => was[name] === becomes[name])) return [];
    return [of("update", becomes, was["enabled"] === true && becomes["enabled"] !== true)];
  }
  const onDestroy = was?.["onDestroy"] ?? "restore";
  const isLeft = step.isRetained || onDestroy === "keep";
  const isOff = onDestroy === "disable" || recordIn(was?.["initial"])["enabled"] === false;
  const fate = isLeft ? "leave" : onDestroy === "disable" ? "update" : "restore";
  return [
    ...(was ? [of(fate, was, !isLeft && isOff && was["enabled"] !== false)] : []),
    ...(becomes ? [of("create", becomes, becomes["enabled"] === false)] : []),
  ];
}
