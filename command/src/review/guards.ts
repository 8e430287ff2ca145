import type { PreviewStep } from "../preview/preview-read";
import { asList, asRecord, asText } from "../shared/values";

/** Settings of a resource that prevent mistakes. Each function returns whether a plan removes or weakens the setting. */
const guards: Readonly<Record<string, (was: unknown, becomes: unknown) => boolean>> = {
  minimumLogDays: (was, becomes) => Number(was ?? 0) > Number(becomes ?? 0),
  impact: (was, becomes) => strictness(was) > strictness(becomes),
  lint: (was, becomes) => {
    const off = (setting: unknown) => asList(asRecord(setting)["off"]);
    return strictness(was) > strictness(becomes) || off(becomes).some((rule) => !off(was).includes(rule));
  },
  onDestroy: (was, becomes) => was === "keep" && becomes !== "keep",
};

/** Returns the guards that a step removes or weakens, such as `protect` or `impact is warn, was error`. */
export function removedGuards(
  step: Pick<PreviewStep, "before" | "after" | "isOurs" | "isProtected">,
): string[] {
  const { before, after, isOurs, isProtected } = step;
  if (!isOurs || !before) return [];
  const inputs = Object.entries(after ? guards : {}).flatMap(([name, isWeaker]) => {
    const [was, becomes] = [before[name], after?.[name]];
    // Values that are secret or not known yet cannot be compared.
    if (typeof was === "symbol" || typeof becomes === "symbol" || !isWeaker(was, becomes)) return [];
    const now = becomes === undefined ? "not set" : asText(becomes);
    return [`${name} is ${now}, was ${asText(was)}`];
  });
  return isProtected.was && !isProtected.becomes ? ["protect", ...inputs] : inputs;
}

/** Returns the strictness of a level: 0 for `"off"`, 1 for `"warn"` (default), 2 for `"error"`; NaN for one that is not known. */
function strictness(setting: unknown): number {
  const level = typeof setting === "string" ? setting : (asRecord(setting)["level"] ?? "warn");
  const place = ["off", "warn", "error"].indexOf(String(level));
  return place === -1 ? Number.NaN : place;
}
