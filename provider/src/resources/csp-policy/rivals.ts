import type { Finding } from "../../lifecycle/finding";
import type { Properties } from "../../lifecycle/kind";
import type { Run } from "../../lifecycle/run";
import { isUnknown } from "../../lifecycle/unknown";
import { urnParts } from "../../lifecycle/urn";
import { type Form, zonePolicies } from "./zone-policies";

/** An exact set is the only one to declare policies of its zone: what is beside it would be nobody's to it. */
export function rivalFindings(run: Run, { zoneId }: Properties, urn: string, form: Form): Finding[] {
  if (typeof zoneId !== "string" || isUnknown(zoneId)) return [];
  const rivals = zonePolicies(run, zoneId).declareForm(urn, form);
  if (!rivals) return [];
  return [notAlone(urnParts(rivals.exact).name, urnParts(rivals.beside).name)];
}

export function notAlone(exact: string, beside: string): Finding {
  const message = `${exact} decides on all policies of the zone (its others is not "keep"), and ${beside} declares policies of the same zone: each would undo the other's work. Move them into one set, or set others to "keep".`;
  return { severity: "error", code: "csp-set-not-alone", property: "", message };
}
