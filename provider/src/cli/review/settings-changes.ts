import { switches } from "../../resources/page-guard-settings/state";
import { recordIn } from "../values";
import type { PreviewStep } from "./preview-read";
import { isChanging, type ObjectChange, sidesOf, zoneIn } from "./zone-objects";

const off = "monitoring switched off";

/** What happens to the settings of zones. */
export function settingsChanges(steps: readonly PreviewStep[]): ObjectChange[] {
  return steps
    .filter((step) => step.isOurs && step.kind === "PageGuardSettings" && isChanging(step))
    .flatMap(changesIn);
}

function changesIn(step: PreviewStep): ObjectChange[] {
  const { was, becomes } = sidesOf(step);
  const of = (fate: ObjectChange["fate"], values: typeof was, weaker?: string): ObjectChange => ({
    ...{ step, kind: "settings", fate, label: step.name, id: undefined, weaker },
    zone: zoneIn(values),
  });
  if (was && becomes && step.op !== "replace") {
    if (switches.every((name) => was[name] === becomes[name])) return [];
    return [of("update", becomes, was["enabled"] === true && becomes["enabled"] !== true ? off : undefined)];
  }
  return [
    ...(was ? [gone(step, was, of)] : []),
    ...(becomes ? [of("create", becomes, becomes["enabled"] === false ? off : undefined)] : []),
  ];
}

function gone(
  step: PreviewStep,
  was: Record<string, unknown>,
  of: (fate: ObjectChange["fate"], values: Record<string, unknown>, weaker?: string) => ObjectChange,
): ObjectChange {
  const onDestroy = was["onDestroy"] ?? "restore";
  if (step.isRetained || onDestroy === "keep") return of("leave", was);
  const isOff = onDestroy === "disable" || recordIn(was["initial"])["enabled"] === false;
  const isWeaker = isOff && was["enabled"] !== false;
  return of(onDestroy === "disable" ? "update" : "restore", was, isWeaker ? off : undefined);
}
