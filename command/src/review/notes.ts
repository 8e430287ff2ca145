import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { groupBy, readDeclaredAs } from "pulumi-page-guard/tools";
import * as z from "zod";
import { forTerminal } from "../documents/escape";
import type { ReviewEntry, ReviewMigration } from "../documents/review/review";
import { isError, type PreviewStep, type ReadFinding, withProperty } from "../preview/preview-read";
import type { Session } from "../shared/session";
import { asString, describeCounts, distinct, sumUp } from "../shared/values";
import type { ZoneEffect } from "./zone-effects";

/** Returns findings as entries. Findings with the same text about several resources or policies share an entry. */
export function makeNotes(findings: readonly ReadFinding[]): ReviewEntry[] {
  const notes = findings.map((finding) => {
    const { code, severity, zone, urn, property, file, line } = finding;
    // In findings about a policy text, the subject names the policy, so that findings with equal texts can share an entry.
    const isOfPolicy = code.startsWith("csp-lint-") || code.startsWith("expression-");
    const at = isOfPolicy && property.startsWith("policies") ? property.slice(8) : "";
    const text = isOfPolicy ? finding.text : withProperty(finding);
    const subject = urn === undefined ? undefined : `${readDeclaredAs(urn)}${at}`;
    return { code, severity, text, file, line, zone, subject };
  });
  const groups = groupBy(notes, ({ code, severity, zone, text }) =>
    JSON.stringify([code, severity, zone === undefined ? text : text.replaceAll(zone, "")]),
  );
  return [...groups.values()].map((group) => {
    const { zone: _, subject: _one, code, ...note } = group[0];
    const subjects = distinct(group.map(({ subject }) => subject));
    return { ...note, code: code || undefined, subjects, zones: distinct(group.map(({ zone }) => zone)) };
  });
}

const count = z.int().min(0);
const none = { scripts: 0, connections: 0 };
const counts = z.object({ scripts: count, connections: count });
const dataSchema = z
  .union([
    z.object({ breaks: counts, keepsOut: counts }),
    counts.transform((breaks) => ({ breaks, keepsOut: none })),
  ])
  .catch({ breaks: none, keepsOut: none });

/** The impact of a policy on a zone, from one finding: items in use that the policy blocks, or malicious ones that it lets in. */
type ReportedImpact = ReturnType<typeof collectImpacts>[number];

/** Returns the impacts in the findings with the code `wanted`: `csp-blocks-in-use` or `csp-lets-malicious-in`. */
export function collectImpacts(findings: readonly ReadFinding[], wanted: string) {
  const concerned = findings.filter(({ code }) => code === wanted);
  return concerned.map(({ zone, data }) => {
    const { breaks, keepsOut } = dataSchema.parse(data);
    const malicious = keepsOut.scripts + keepsOut.connections;
    // A finding without counts concerns at least one item.
    const isUncounted = breaks.scripts + breaks.connections + malicious === 0;
    return { zone, ...breaks, malicious, isUncounted };
  });
}

/** Returns the sums of the impacts in words: `2 scripts`, `1 connection`. */
export function itemCounts(all: readonly ReportedImpact[], kind = ""): readonly string[] {
  return [
    ...describeCounts(
      [sumUp(all, ({ scripts }) => scripts), `${kind}script`],
      [sumUp(all, ({ connections }) => connections), `${kind}connection`],
    ),
    ...(all.some(({ isUncounted }) => isUncounted) ? ["not counted"] : []),
  ];
}

/** Returns the folder that relative paths start from: the CI checkout, the nearest repository or else the working directory. */
export function repositoryRoot({ env, cwd }: Session): string {
  const checkout = env["GITHUB_WORKSPACE"] || env["CI_PROJECT_DIR"];
  const start = realpathSync(cwd);
  if (checkout && existsSync(checkout)) {
    const root = realpathSync(checkout);
    if (start === root || start.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return root;
  }
  for (let at = start; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return start;
  }
}

/** Returns a path relative to the root; undefined outside of the root, where a path makes sense only on this machine. */
export function makeRelative(root: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const path = relative(root, file);
  return path === "" || path.startsWith("..") || path === file ? undefined : path.split(sep).join("/");
}

/** Codes of the findings that the entry of a migration quotes, the most serious first. */
const order = ["finishes", "validates", "not-checked", "under-way", "adopted", "no-effect"].map(
  (end) => `migration-${end}`,
);

/** Limits for quotations in an entry, because a program can invent findings. */
const longestFact = 300;
const mostFacts = 4;

/** Returns the WAF migrations whose effects may be irreversible, and in `used` the findings that their entries quote. */
export function collectMigrations(
  steps: readonly PreviewStep[],
  effects: readonly ZoneEffect[],
  findings: readonly ReadFinding[],
) {
  const used = new Set<ReadFinding>();
  const mayAct = (step: PreviewStep): boolean =>
    effects.some(({ object, by }) => object.kind === "migration" && by.step === step);
  const migrations = steps.filter(mayAct).map((step): ReviewMigration => {
    const { urn, zone, after, file, line } = step;
    const own = findings
      .filter((one) => one.urn === urn && one.isShown && !isError(one) && order.includes(one.code))
      .sort((left, right) => order.indexOf(left.code) - order.indexOf(right.code));
    for (const finding of own) used.add(finding);
    const texts = own.map(({ text }) => text.split("\n"));
    const quoted = texts.slice(0, mostFacts).map(([first = ""]) => {
      return `From the preview: ${forTerminal(first.replace(` of zone ${zone}`, ""), longestFact)}`;
    });
    const unasked =
      own.length > 0 ? [] : ["The preview did not ask the service about the stage of the zone."];
    return {
      name: readDeclaredAs(urn),
      zone,
      stage: asString(after?.["stage"]) ?? "not known",
      file,
      line,
      facts: [...describeConsequences(step, own.length > 0), ...quoted, ...unasked],
      // The remaining lines of these findings list the rules that the migration sends.
      remarks: texts.flatMap(([, ...rest]) => rest),
    };
  });
  return { migrations, used };
}

function describeConsequences({ after, recorded }: PreviewStep, isAsked: boolean): string[] {
  const stage = after?.["stage"];
  if (stage === "validation") {
    const already = isAsked ? "" : " (already the case if the zone is in validation)";
    return [`the zone can never use only the previous WAF again${already}.`];
  }
  if (stage !== "finished") return ["its stage is not known yet."];
  // If the preview asked the service, the quoted findings have the answer.
  const ends = isAsked
    ? "ends the previous WAF for good."
    : "ends the previous WAF for good, unless it has ended already.";
  if (recorded?.["reached"] === "validation") {
    const startedOn = asString(recorded["startedAt"])?.slice(0, 10);
    const since = startedOn === undefined ? "" : ` since ${startedOn}`;
    return [ends, `In validation${since}, according to the state.`];
  }
  return isAsked ? [ends] : [ends, "According to the state, the zone has not been in validation."];
}
