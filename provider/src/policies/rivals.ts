import type { Finding } from "../lifecycle/finding";
import type { Properties } from "../lifecycle/kind";
import { inZone } from "../lifecycle/memory";
import type { Run } from "../lifecycle/run";
import { isUnknown } from "../lifecycle/unknown";
import { urnParts } from "../lifecycle/urn";

/** In what form policies of a zone are declared. An exact set says what becomes of those that it does not declare. */
export type Form = "policy" | "set" | "exact set";

interface Forms {
  readonly byUrn: Map<string, Form>;
  /** Nearly never: hundreds of policies are not to be looked through for each of them. */
  hasExactSet: boolean;
}

const formsOf = inZone((): Forms => ({ byUrn: new Map(), hasExactSet: false }));

/** An exact set is the only one to declare policies of its zone: what is beside it would be nobody's to it. */
export function rivalFindings(run: Run, { zoneId }: Properties, urn: string, form: Form): Finding[] {
  if (typeof zoneId !== "string" || isUnknown(zoneId)) return [];
  const zone = formsOf(run, zoneId);
  zone.byUrn.set(urn, form);
  zone.hasExactSet ||= form === "exact set";
  if (!zone.hasExactSet) return [];
  const others = [...zone.byUrn].filter(([other]) => other !== urn);
  const exact = form === "exact set" ? urn : others.find(([, other]) => other === "exact set")?.[0];
  const beside = exact === urn ? others[0]?.[0] : urn;
  if (exact === undefined || beside === undefined) return [];
  return [notAlone(urnParts(exact).name, urnParts(beside).name)];
}

export function notAlone(exact: string, beside: string): Finding {
  const message = `${exact} decides on all policies of the zone (its others is not "keep"), and ${beside} declares policies of the same zone: each would undo the other's work. Move them into one set, or set others to "keep".`;
  return { severity: "error", code: "csp-set-not-alone", property: "", message };
}
