import { switches } from "../../resources/page-guard-settings/state";
import { recordIn } from "../values";
import type { PreviewStep, Values } from "./preview-read";
import {
  type Fate,
  isChanging,
  type ObjectChange,
  type Succession,
  successions,
  zoneIn,
} from "./zone-objects";

/** What happens to the settings of zones. */
export function settingsChanges(steps: readonly PreviewStep[]): ObjectChange[] {
  const ours = steps.filter((step) => step.isOurs && step.kind === "PageGuardSettings" && isChanging(step));
  return successions(ours).flatMap(changesIn);
}

function changesIn({ step, was, becomes, heir }: Succession): ObjectChange[] {
  const of = (fate: Fate, values: Values, isWeaker: boolean): ObjectChange => ({
    ...{ step, kind: "settings", fate, label: step.name, id: undefined },
    zone: zoneIn(values),
    weaker: isWeaker ? "monitoring switched off" : undefined,
  });
  if (was && becomes) {
    if (switches.every((name) => was[name] === becomes[name]))
      return heir ? [{ ...of("move", becomes, false), movesTo: heir }] : [];
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
