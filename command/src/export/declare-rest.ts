import type { ZoneValues } from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { asList } from "../shared/values";
import type { ZoneRef } from "../shared/zones";
import type { DeclaredZone } from "../state/declared-zone";
import type { ZoneDrift } from "../state/drift";
import { declare } from "./declared";
import type { Language } from "./languages";
import { makeSlug, nameObjects } from "./naming";
import { setEntries, zoneProgram } from "./program";

/** Returns code for the objects in a zone that are not in the state: new resources, and entries to add to existing resources. */
export function renderRest(
  language: Language,
  zone: ZoneRef,
  { resources, settings, entrypoint }: DeclaredZone,
  live: ZoneValues,
  { policies, rules }: ZoneDrift["undeclared"],
): string {
  const { objects, leftOut } = declare(
    {
      zone,
      service: live.service,
      policies,
      entrypoint: { ...live.entrypoint, rules },
      ...(live.settings && !settings && { settings: live.settings }),
    },
    language.refusal,
  );
  const set = resources.find(({ kind }) => kind === "CspPolicySet");
  const taken = new Set([
    ...resources.map(({ name }) => name),
    ...Object.keys(Object(set?.inputs["policies"])).map((key) => `${makeSlug(zone)}-${key}`),
  ]);
  const all = nameObjects(objects, (name) => taken.has(`${makeSlug(zone)}-${name}`));
  const inSet = all.filter(({ kind }) => set && kind === "CspPolicy");
  const inList = all.filter(({ kind }) => entrypoint && kind === "ManagedWafEntrypoint");
  const others = all.filter((object) => !inSet.includes(object) && !inList.includes(object));
  const comment = (text: string): string => `${language.comment} ${forTerminal(text, 500)}`;
  const blocks = leftOut.map(({ what, why }) => comment(`${what} cannot be declared: ${why}`));
  if (others.length > 0) blocks.push(language.text(zoneProgram(zone, others, "single")).trimEnd());
  if (set && inSet.length > 0)
    blocks.push(
      comment(`add to the policies of the CspPolicySet ${set.name}:`),
      language.parts(set.kind, "policies", setEntries(inSet)),
    );
  for (const { kind, args } of inList)
    blocks.push(
      comment(
        `add to the rules of the ManagedWafEntrypoint ${entrypoint?.name}, in the order in which the zone runs them:`,
      ),
      language.parts(kind, "rules", asList(args["rules"])),
    );
  return blocks.map((block) => `${block}\n`).join("");
}
