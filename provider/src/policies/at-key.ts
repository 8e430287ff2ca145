import { entryPath } from "../lifecycle/secret-inputs";
import type { Finding } from "../model/finding";
import { grouped } from "../text/data";
import { listed } from "../text/shown";

/** Path of an input of a policy: below its key in a set, its own in a resource that is one policy. */
export function pathOf(key: string | undefined, property = ""): string {
  if (key === undefined) return property;
  const at = entryPath("policies", key);
  return property === "" ? at : `${at}.${property}`;
}

export function findingsAt(key: string | undefined, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => ({ ...finding, property: pathOf(key, finding.property) }));
}

/** How many policies of a set are named one by one. */
const most = 20;

/** The first findings of each code, and where the others are. */
export function few(findings: readonly Finding[]): Finding[] {
  return [...grouped(findings, ({ code }) => code).values()].flatMap((all) => {
    const rest = all.slice(most).map(({ property }) => property);
    if (rest.length === 0) return all;
    const { data: _data, place: _place, ...kind } = all[0];
    const message = `The same applies to ${listed(rest, { separator: ", " })}.`;
    return [...all.slice(0, most), { ...kind, property: "", message }];
  });
}
