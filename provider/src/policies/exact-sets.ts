import { inZone } from "../lifecycle/memory";
import type { Run } from "../lifecycle/run";
import { errorOn, type Finding } from "../model/finding";
import type { Properties } from "../model/properties";
import { isUnknown } from "../model/unknown";
import { urnParts } from "../model/urn";
import { shownList } from "../text/shown";

/** What is declared of a zone's policies, and what its exact set (`others` "refuse" or "delete") does in this run. */
export const exactSetIn = inZone(() => ({
  /** Resources with policies of the zone, by URN. */
  all: new Set<string>(),
  exact: new Set<string>(),
  /** Ids that a finding has named: nothing else is deleted. */
  named: new Set<string>(),
  deleted: new Set<string>(),
}));

/**
 * A resource declares policies of its zone. An exact set decides on all of them, so it has to be the only one. The provider
 * learns of one resource after the other: in a preview in time, in an update without one perhaps too late.
 */
export function rivalFindings(run: Run, { zoneId }: Properties, urn: string, isExact: boolean): Finding[] {
  if (isUnknown(zoneId)) return [];
  const { all, exact, deleted } = exactSetIn(run, zoneId);
  all.add(urn);
  if (isExact) exact.add(urn);
  const [set] = isExact ? [urn] : exact;
  const beside = set === urn ? [...all].find((other) => other !== urn) : urn;
  if (set === undefined || beside === undefined) return [];
  return [notAlone(urnParts(set).name, urnParts(beside).name, [...deleted])];
}

export function notAlone(set: string, beside: string, deleted: readonly string[] = []): Finding {
  const gone = ` This update has deleted already: ${shownList(deleted)}. Once the program is corrected, \`pulumi up --refresh\` creates what it declares again.`;
  const message = `${set} decides on all policies of the zone (its others is not "keep"), and ${beside} declares policies of the same zone: each would undo the other's work. Move them into one set, or set others to "keep".${deleted.length > 0 ? gone : ""}`;
  return errorOn("", "csp-set-not-alone", message);
}
