import { Command } from "commander";
import { forTerminal } from "../reports/escape";
import type { ReportFinding } from "../reports/report";
import { declare } from "./export/declared";
import { literal } from "./export/literal";
import { type Lock, readLock } from "./export/lock";
import { named, slugOf } from "./export/naming";
import type { ZoneFound } from "./export/read-zone";
import { setEntries, single } from "./export/zone-program";
import { type OutputFlags, withConnection, withOutput, withState, withZones } from "./options";
import { print } from "./output";
import { Progress } from "./progress";
import type { Conclude, ExitCode, Session } from "./session";
import { type Coverage, coverageOf } from "./state/coverage";
import { policyLabel, ruleLabel } from "./state/drift";
import { type InspectedZone, type InspectFlags, inspect } from "./state/inspect";

type CoverageFlags = InspectFlags & OutputFlags;

interface Covered extends InspectedZone {
  readonly coverage: Coverage;
  /** Names of the folder's export, for the lines. */
  readonly lock: Lock | undefined;
}

const example = `
Examples:
  page-guard coverage --stack production
  page-guard coverage --state production.json --zone 8f14e45fceea167a5a36dedd4bea2543

Exit codes: 0 everything is declared; 1 failed; 2 something is not declared.`;

/** `page-guard coverage`: how much of the zones is declared. */
export function coverageCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("coverage").description(
    "Show how much of a stack's zones is declared, with the code that declares the rest",
  );
  return withOutput(withConnection(withZones(withState(command))))
    .addHelpText("after", example)
    .action((flags: CoverageFlags) => conclude(coverage(session, flags)));
}

async function coverage(session: Session, flags: CoverageFlags): Promise<ExitCode> {
  const progress = new Progress(session);
  const lock = readLock(session.cwd);
  const zones: readonly Covered[] = (await inspect(session, flags, progress, { settings: true })).map(
    (zone) => ({
      ...zone,
      lock,
      coverage: coverageOf(zone.declared, zone.live),
    }),
  );
  const isWhole = zones.every((zone) => zone.coverage.isWhole);
  return print(session, flags, {
    text: `${zones.flatMap(linesOf).join("\n")}\n`,
    json: { zones: zones.map(toJson), isWhole, requests: progress.requests },
    isFound: !isWhole,
    title: "page-guard coverage",
    examined: zones.map(({ zone }) => zone.name),
    findings: zones.flatMap(findingsOf),
    rules: { "not-declared": "No program declares this." },
  });
}

function linesOf(covered: Covered): string[] {
  const { zone } = covered;
  const code = readyLines(covered);
  return [`${zone.name}: ${summary(covered)}`, ...(code === "" ? [] : ["", code, ""])];
}

/** `14 of 15 policies, settings, 3 of 5 rules; not declared: …` */
function summary(covered: Covered): string {
  const { policies, rules, isSettingsDeclared, isHidden } = covered.coverage;
  const parts = [
    `${policies.declared} of ${policies.all} policies`,
    ...(isSettingsDeclared ? ["settings"] : []),
    `${rules.declared} of ${rules.all} rules`,
  ];
  const missing = missingOf(covered);
  const rest =
    missing.length === 0 ? "" : `; not declared: ${missing.map((one) => forTerminal(one)).join(", ")}`;
  return `${parts.join(", ")}${rest}${isHidden ? "; some ids are secret, so what they belong to counts as declared" : ""}`;
}

function missingOf({
  coverage: { isSettingsDeclared, undeclaredPolicies, undeclaredRules },
}: Covered): string[] {
  return [
    ...(isSettingsDeclared ? [] : ["settings"]),
    ...undeclaredPolicies.map((policy) => `policy ${policyLabel(policy)}`),
    ...undeclaredRules.map((rule) => `rule ${ruleLabel(rule)}`),
  ];
}

/** What to paste into the program: policies as the zone's program has them, rules where its list is. */
function readyLines({ zone, declared, live, lock, coverage: found }: Covered): string {
  const { undeclaredPolicies, undeclaredRules } = found;
  const hasEntrypoint = declared.entrypoint !== undefined;
  const rest: ZoneFound = {
    zone,
    ...(live.settings && !found.isSettingsDeclared && { settings: live.settings }),
    policies: undeclaredPolicies,
    ...(undeclaredRules.length > 0 && { entrypoint: { ...live.entrypoint, rules: undeclaredRules } }),
  };
  const { objects, leftOut } = declare(rest);
  const lines = named(zone, objects, lock);
  const slug = slugOf(zone);
  const policies = lines.filter(({ kind }) => kind === "CspPolicy");
  const [set] = declared.sets;
  const blocks = lines.filter(({ kind }) => kind === "PageGuardSettings").map((one) => single(slug, one));
  if (set && policies.length > 0) {
    blocks.push(
      `// into the policies of the CspPolicySet ${forTerminal(set.name)}:\n${setEntries(policies, 0).join(",\n")},`,
    );
  } else blocks.push(...policies.map((policy) => single(slug, policy)));
  for (const rules of lines.filter(({ kind }) => kind === "ManagedWafEntrypoint")) {
    if (!hasEntrypoint) blocks.push(single(slug, rules));
    else {
      const list = Array.isArray(rules.args["rules"]) ? rules.args["rules"] : [];
      const entries = list.map((rule: unknown) => `${literal(rule, 0, 0)},`);
      blocks.push(
        `// into the rules of the ManagedWafEntrypoint ${forTerminal(declared.entrypoint?.name ?? "")}, each at its place:\n${entries.join("\n")}`,
      );
    }
  }
  blocks.push(
    ...leftOut.map(({ what, why }) => `// ${forTerminal(what)} cannot be declared: ${forTerminal(why, 300)}`),
  );
  const needsZone = blocks.some((block) => /^\s+zoneId,$/m.test(block));
  return [...(needsZone ? [`const zoneId = "${zone.id}";`] : []), ...blocks].join("\n\n");
}

function toJson(covered: Covered): object {
  const { zone, coverage: found } = covered;
  const { policies, rules, isSettingsDeclared: settings, isHidden, isWhole } = found;
  return {
    ...zone,
    policies,
    settings,
    rules,
    isHidden,
    isWhole,
    notDeclared: missingOf(covered),
    lines: readyLines(covered),
  };
}

function findingsOf(covered: Covered): readonly ReportFinding[] {
  return missingOf(covered).map((subject) => ({
    code: "not-declared",
    severity: "error",
    message: `${subject} is declared by no program.`,
    zone: covered.zone.name,
    subject,
  }));
}
