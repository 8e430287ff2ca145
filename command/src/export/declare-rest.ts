import type { ZoneValues } from "pulumi-page-guard/tools";
import { codeComment } from "../reports/escape";
import type { DeclaredZone } from "../state/declared-zone";
import type { ZoneDrift } from "../state/drift";
import { listIn } from "../values";
import type { ZoneRef } from "../zones";
import { declare } from "./declared";
import type { Language } from "./language";
import { named, slugOf } from "./naming";
import { policySet, single } from "./program";

/** Code that declares what no resource of a state declares: new resources, and entries for those that are there. */
export function codeOfRest(
  language: Language,
  zone: ZoneRef,
  { resources, settings, entrypoint }: DeclaredZone,
  live: ZoneValues,
  { policies, rules }: ZoneDrift["undeclared"],
): string {
  const { objects, leftOut } = declare(
    {
      zone,
      ...(live.settings && !settings && { settings: live.settings }),
      policies,
      entrypoint: { ...live.entrypoint, rules },
    },
    language.refusal,
  );
  const set = resources.find(({ kind }) => kind === "CspPolicySet");
  const names = new Set(resources.map(({ name }) => name));
  const keys = Object.keys(Object(set?.inputs["policies"]));
  const isUsed = (name: string): boolean => names.has(`${slugOf(zone)}-${name}`) || keys.includes(name);
  const all = named(objects, isUsed);
  const inSet = set ? all.filter(({ kind }) => kind === "CspPolicy") : [];
  const inList = entrypoint ? all.filter(({ kind }) => kind === "ManagedWafEntrypoint") : [];
  const others = all.filter((object) => ![...inSet, ...inList].includes(object));
  const comment = (text: string): string => `${language.comment} ${codeComment(text, 500)}`;
  const blocks = [
    ...leftOut.map(({ what, why }) => comment(`${what} cannot be declared: ${why}`)),
    ...(others.length > 0
      ? [language.text({ zone, remarks: [], resources: others.map((one) => single(zone, one)) }).trimEnd()]
      : []),
    ...(inSet.length > 0
      ? [
          `${comment(`add to the policies of the CspPolicySet ${set?.name}:`)}\n${language.policies(policySet(zone, inSet))}`,
        ]
      : []),
    ...inList.map(
      ({ args }) =>
        `${comment(`add to the rules of the ManagedWafEntrypoint ${entrypoint?.name}, each in its place:`)}\n${language.rules(listIn(args["rules"]))}`,
    ),
  ];
  return blocks.map((block) => `${block}\n`).join("\n");
}
