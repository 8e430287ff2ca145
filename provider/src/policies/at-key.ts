import type { Finding } from "../model/finding";
import { grouped } from "../text/data";
import { shown, shownList } from "../text/shown";

/** Path of an input of a policy: below its key in a set, its own in a resource that is one policy. */
export function pathOf(key: string | undefined, property = ""): string {
  if (key === undefined) return property;
  const at = /^[\w$-]{1,80}$/.test(key) ? `policies.${key}` : `policies[${JSON.stringify(shown(key))}]`;
  return property === "" ? at : `${at}.${property}`;
}

export function findingsAt(key: string | undefined, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => ({ ...finding, property: pathOf(key, finding.property) }));
}

/** How many policies of a set are named one by one. */
const most = 20;

/** What is so of a zone is said once, for all its policies. */
const ofZone = new Set<string>(["csp-impact-unknown", "csp-hidden-not-seen"]);

/** The first findings of each code, and where the others are. */
export function few(findings: readonly Finding[]): Finding[] {
  const names = (some: readonly Finding[]) => shownList(some.map(({ property }) => property));
  const same = grouped(findings, (one) => (ofZone.has(one.code) ? one.message : one));
  const told = [...same.values()].map((all) => {
    const message = `${all[0].message} This is so for ${names(all)}.`;
    return all.length === 1 ? all[0] : { ...all[0], property: "policies", message };
  });
  return [...grouped(told, ({ code }) => code).values()].flatMap((all) => {
    const { data: _data, place: _place, ...kind } = all[0];
    const message = `The same applies to ${names(all.slice(most))}.`;
    return all.length <= most ? all : [...all.slice(0, most), { ...kind, property: "", message }];
  });
}
