import { Command } from "commander";
import {
  engineMarks,
  findKind,
  PageGuardError,
  pluralize,
  readZone,
  requireValues,
  runInFlight,
  type ZonePart,
} from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { renderRest } from "../export/declare-rest";
import { type LanguageName, languageOption, languages } from "../export/languages";
import { withReading, withState } from "../shared/options";
import { print } from "../shared/output";
import { Progress } from "../shared/progress";
import { type Conclude, type ExitCode, exitCode, type Session } from "../shared/session";
import { asRecord, distinct } from "../shared/values";
import { type ZoneRef, zonesAtOnce } from "../shared/zones";
import { type Drift, findDrift, hasNoZone, type ZoneDrift } from "../state/drift";
import { type InspectFlags, type ReadableZone, zonesInState } from "../state/zones-in-state";

interface DriftFlags extends InspectFlags {
  readonly declare?: boolean;
  readonly language: LanguageName;
}

const example = `
Examples:
  page-guard drift --stack production
  page-guard drift --stack production --declare
  pulumi stack export --stack production | page-guard drift --state - --json

Secret values are never printed. They are compared only if they can be decrypted, which needs --stack and its passphrase
or key service.

Exit codes: 0 no drift; 1 failed, or a zone could not be read; 2 something was changed or deleted, was never
declared, or is in the state of two resources.`;

export function driftCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("drift")
    .description("List objects that were changed, deleted or never declared in the zones of a stack")
    .option("--declare", "print only the code that would declare the undeclared objects")
    .addOption(languageOption("language of the code"));
  return withReading(withState(command))
    .addHelpText("after", example)
    .action((flags: DriftFlags) => conclude(drift(session, flags)));
}

type ComparedZone = Extract<Awaited<ReturnType<typeof compareZone>>, ZoneDrift>;

async function drift(session: Session, flags: DriftFlags): Promise<ExitCode> {
  const progress = new Progress(session);
  const readable = await zonesInState(session, flags, progress);
  const found = await progress.during("Reading zones", () =>
    runInFlight(zonesAtOnce, readable, (zone) => compareZone(zone, flags)),
  );
  const zones = found.flatMap((one) => ("failure" in one ? [] : [one]));
  const unread = found.flatMap((one) => ("failure" in one ? [one] : []));
  for (const { zone, failure } of unread) session.err(`${zone.name}: could not be read: ${failure}\n`);
  const all = zones.flatMap(({ zone, drift: differences }) =>
    differences.map((one) => ({ zone, one, message: sentence(one) })),
  );
  const notCompared = zones.flatMap((one) => one.notCompared).length;
  const differences = all.map(({ message }) => message);
  session.tell?.({ drift: { zones: zones.map(({ zone }) => zone.id), notCompared, differences } });
  const code = (flags.declare ? zones : []).map(({ zone, declared, live, undeclared }) =>
    renderRest(languages[flags.language], zone, declared, live, undeclared),
  );
  const rest = code.filter((text) => text !== "").join("\n");
  const ended = print(session, flags, {
    text: flags.declare ? rest : renderText(zones, found.length),
    json: {
      drift: all.map(({ zone, one }) => toJson(zone, one)),
      zones: zones.map((one) => ({
        ...one.zone,
        declared: countShares(one),
        notCompared: one.notCompared.length,
      })),
      notCompared,
      unread: unread.map(({ zone, failure }) => ({ zone: zone.id, zoneName: zone.name, failure })),
      ...(flags.declare && { code: rest }),
      requests: progress.requests,
    },
    isFound: all.length > 0,
    title: "page-guard drift",
    examined: zones.map(({ zone }) => zone.name),
    findings: all.map(({ zone, one: { what, resource, label }, message }) => ({
      code: `drift-${what}`,
      severity: "error",
      message,
      zone: zone.name,
      subject: resource?.name ?? label,
      ...resource?.position,
    })),
    rules: {
      "drift-changed": "The zone differs from what the program declares.",
      "drift-gone": "An object that the program declares was deleted.",
      "drift-undeclared": "No program declares this object.",
      "drift-shared": "Two resources in the state refer to this object.",
    },
  });
  return unread.length > 0 ? exitCode.failed : ended;
}

async function compareZone({ zone, declared, client }: ReadableZone, flags: DriftFlags) {
  const parts = distinct<ZonePart>([
    ...declared.resources.flatMap(({ kind }) => findKind(kind)?.parts ?? []),
    ...(flags.declare ? (["settings"] as const) : []),
    "policies",
    "entrypoint",
  ]);
  try {
    const read = await readZone(client, zone.id, parts);
    const live = requireValues(read, ({ why }) => why === "gone");
    // If neither the service nor the state knows the zone, its id is wrong.
    if (hasNoZone(live) && declared.resources.length === 0) throw read.unread[0]?.error;
    return { zone, declared, live, ...findDrift(declared, live) };
  } catch (error) {
    if (!(error instanceof PageGuardError)) throw error;
    return { zone, failure: `${forTerminal(error.message, 2000)} [${error.code}]` };
  }
}

function renderText(zones: readonly ComparedZone[], all: number): string {
  const ofAll = (linesOf: (one: ComparedZone) => readonly string[]): readonly string[] =>
    zones.flatMap((one) => linesOf(one).map((line) => `${one.zone.name}: ${line}`));
  const differences = ofAll((one) => one.drift.map(sentence));
  const notCompared = ofAll((one) => one.notCompared.map((what) => forTerminal(what)));
  if (zones.length === 0 && all === 1) return "The zone could not be read.\n";
  if (zones.length === 0 && all > 1) return `None of the ${all} zones could be read.\n`;
  const count = differences.length === 0 ? "No drift" : pluralize(differences.length, "difference");
  const isPart = zones.length < all;
  const allZones = pluralize(all, "zone");
  const which = isPart ? `${zones.length} of ${allZones}` : allZones;
  const where = isPart || differences.length > 0 ? ` in ${which}` : "";
  const but =
    notCompared.length > 0 ? `, but ${pluralize(notCompared.length, "value")} could not be compared` : "";
  return [
    ...differences,
    `${count}${where}${but}.`,
    ...notCompared.map((what) => `Not compared: ${what}`),
    ...ofAll(shareLine),
    "",
  ].join("\n");
}

function countShares({ declared, live, undeclared }: ComparedZone) {
  const share = (all: number, others: number) => ({ declared: all - others, all });
  return {
    settings: declared.settings !== undefined,
    policies: share(live.policies?.length ?? 0, undeclared.policies.length),
    rules: share(live.entrypoint?.rules.length ?? 0, undeclared.rules.length),
  };
}

/** Returns a line such as `not declared: 1 of 15 policies, the settings`, or none if the whole zone is declared. */
function shareLine(compared: ComparedZone): readonly string[] {
  const { settings, policies, rules } = countShares(compared);
  const missing = ({ declared, all }: typeof rules, one: string, many?: string) =>
    declared === all ? [] : [`${all - declared} of ${pluralize(all, one, many)}`];
  const parts = [...missing(policies, "policy", "policies"), ...missing(rules, "rule")];
  if (!settings) parts.push("the settings");
  return parts.length === 0 ? [] : [`not declared: ${parts.join(", ")}`];
}

/** Describes a difference in one line: its kind, the object and, for a change, the declared and the actual value. */
function sentence(one: Drift): string {
  const { what, kind, resource, path, label, declared, actual, isSecret, isZoneGone, other = "" } = one;
  if (what === "undeclared") {
    const { action, enabled, expression, value: text } = asRecord(actual);
    const undeclared = `never declared: ${kind} ${forTerminal(label)}`;
    if (action === undefined) return undeclared;
    const disabled = enabled === false ? ", disabled" : "";
    const does = `${action}${disabled}, if ${expression}: ${text}`;
    return `${undeclared}: ${forTerminal(does, 400)}`;
  }
  const named = [resource?.name ?? "", path].filter((part) => part !== "");
  const where = named.map((part) => forTerminal(part, 150)).join(" ");
  if (isZoneGone) return `gone: ${where}: the zone is gone, or the token cannot see it`;
  if (what === "shared")
    return `shared: ${where}: ${kind} ${forTerminal(label)} is also in the state of ${forTerminal(other, 150)}`;
  if (what === "gone" && label === resource?.name) return `gone: ${where}`;
  if (what === "gone") return `gone: ${where}: ${kind} ${forTerminal(label)}`;
  if (isSecret) return `changed: ${where}: ${engineMarks.secretText} => ${engineMarks.secretText}`;
  const value = (one: unknown): string =>
    one === undefined ? "(none)" : forTerminal(JSON.stringify(one), 200);
  return `changed: ${where}: ${value(declared)} => ${value(actual)}`;
}

function toJson(zone: ZoneRef, { resource, isSecret, isZoneGone: _, ...drift }: Drift): object {
  const { name, urn, position: { file, line } = {} } = resource ?? {};
  return {
    zone: zone.id,
    zoneName: zone.name,
    ...drift,
    ...(isSecret && { secret: true }),
    resource: name,
    urn,
    file,
    line,
  };
}
