import { Command } from "commander";
import { forTerminal } from "../reports/escape";
import type { ReportFinding } from "../reports/report";
import type { ZoneValues } from "../zone/read-zone";
import { declare } from "./export/declared";
import { typescript, typescriptValue } from "./export/languages/typescript";
import { type Lock, readLock } from "./export/lock";
import { type Named, named } from "./export/naming";
import { policySet, single } from "./export/program";
import type { ZoneFound } from "./export/read-zone";
import { policyLabel, shortRuleLabel } from "./labels";
import { withReading, withState } from "./options";
import { print } from "./output";
import { Progress } from "./progress";
import type { Conclude, ExitCode, Session } from "./session";
import type { DeclaredZone } from "./state/declared-zone";
import { pairedPolicies, rulesOf } from "./state/drift";
import { type InspectedZone, type InspectFlags, inspect } from "./state/inspect";
import { listIn } from "./values";

interface Covered extends InspectedZone {
  readonly coverage: ReturnType<typeof coverageOf>;
  /** Names of the export in this folder, for the code. */
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
  return withReading(withState(command))
    .addHelpText("after", example)
    .action((flags: InspectFlags) => conclude(coverage(session, flags)));
}

async function coverage(session: Session, flags: InspectFlags): Promise<ExitCode> {
  const progress = new Progress(session);
  const lock = readLock(session.cwd);
  const inspected = await inspect(session, flags, progress, { settings: true, mayBeGone: false });
  const zones = inspected.map(
    (zone): Covered => ({ ...zone, lock, coverage: coverageOf(zone.declared, zone.live) }),
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
  return `${parts.join(", ")}${rest}${isHidden ? "; some ids are secret, so their objects count as declared" : ""}`;
}

function missingOf({
  coverage: { isSettingsDeclared, undeclaredPolicies, undeclaredRules },
}: Covered): string[] {
  return [
    ...(isSettingsDeclared ? [] : ["settings"]),
    ...undeclaredPolicies.map((policy) => `policy ${policyLabel(policy)}`),
    ...undeclaredRules.map((rule) => `rule ${shortRuleLabel(rule)}`),
  ];
}

/** Code to paste into the program: in the form that its policies and rules have there. */
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
  const code = (one: Named): string => typescript.resource(single(zone, one));
  const policies = lines.filter(({ kind }) => kind === "CspPolicy");
  const [set] = declared.sets;
  const blocks = lines.filter(({ kind }) => kind === "PageGuardSettings").map(code);
  if (set && policies.length > 0) {
    blocks.push(
      `// add to the policies of the CspPolicySet ${forTerminal(set.name)}:\n${typescript.policies(policySet(zone, policies))}`,
    );
  } else blocks.push(...policies.map(code));
  for (const rules of lines.filter(({ kind }) => kind === "ManagedWafEntrypoint")) {
    if (!hasEntrypoint) blocks.push(code(rules));
    else {
      const entries = listIn(rules.args["rules"]).map((rule) => `${typescriptValue(rule)},`);
      blocks.push(
        `// add to the rules of the ManagedWafEntrypoint ${forTerminal(declared.entrypoint?.name ?? "")}, each in its place:\n${entries.join("\n")}`,
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
    message: `No program declares ${subject}.`,
    zone: covered.zone.name,
    subject,
  }));
}

function coverageOf(declared: DeclaredZone, { policies = [], entrypoint }: ZoneValues) {
  const undeclaredPolicies = declared.arePoliciesHidden
    ? []
    : pairedPolicies(declared, policies).flatMap(({ left, right }) => (left ? [] : [right]));
  const rules = entrypoint?.rules ?? [];
  const { others, areHidden } = rulesOf(declared.entrypoint, rules);
  const isSettingsDeclared = declared.settings !== undefined;
  return {
    policies: { declared: policies.length - undeclaredPolicies.length, all: policies.length },
    rules: { declared: rules.length - others.length, all: rules.length },
    isSettingsDeclared,
    undeclaredPolicies,
    undeclaredRules: others,
    // Ids are secret and could not be decrypted, so nobody knows what is declared.
    isHidden: declared.arePoliciesHidden || areHidden,
    isWhole: isSettingsDeclared && undeclaredPolicies.length === 0 && others.length === 0,
  };
}
