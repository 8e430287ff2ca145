import { isDeepStrictEqual } from "node:util";
import type { PageGuardClient, Rule, UriOverride, WafConfiguration } from "../../api/client-types";
import { MigrationError } from "../../errors/zone-error";
import { readZone, valuesOf } from "../../functions/read-zone";
import { differences, nearMisses } from "../../model/waf-rules/rule-difference";
import { ruleFinder } from "../../model/waf-rules/rule-finder";
import { toRule } from "../../model/waf-rules/rule-input";
import { ruleLabel } from "../../model/waf-rules/rule-label";
import { listed, shown } from "../../text/shown";
import { limitProblems, movedSettings, overrideProblems, owaspNotes, withOverrides } from "./configuration";
import { type Decision, decide, showsFinish } from "./decision";
import { readableRules } from "./readable-rules";
import { asRule, isSameConfiguration, unnamed } from "./rules";
import type { MigrationWork, Standing } from "./standing";
import type { Inputs, Observation, State } from "./state";
import { backwards, contradicted, otherAttempt, shownName, unclearZone } from "./texts";

export interface Prepared {
  readonly decision: Decision;
  /** What would be sent. */
  readonly body: WafConfiguration | undefined;
  readonly proposed: WafConfiguration | undefined;
  readonly lines: readonly string[];
}

/** Decides, and checks everything that can be checked before a request. Throws what would refuse it. */
export async function prepare(
  { client, inputs }: MigrationWork,
  record: State,
  found: Standing,
): Promise<Prepared> {
  const { zoneId, stage } = inputs;
  const { at } = found;
  refuseWrongAnswer(inputs, record, found);
  if (at !== "old" && at !== "validation") {
    const decision = decide(at, stage, false);
    if (decision.act === "refuse") throw refusal(found, zoneId, record.attempt);
    return { decision, body: undefined, proposed: undefined, lines: [] };
  }
  // 1. Eligible?
  await requireCompatible(client, zoneId, found.seen);
  // 2. A configuration that can be read, with what the program adds.
  const read = await readZone(client, zoneId, ["wafConfiguration"]);
  const { wafConfiguration: proposed } = valuesOf(read, ({ why }) => why === "gone");
  const body = configurationOf(inputs, proposed);
  // 3. Within the limits, and no unmanaged rule in the way.
  const problems = limitProblems(body);
  if (problems.length > 0) {
    throw new MigrationError("migration-too-large", zoneId, {
      property: "configuration",
      what: listed(problems, { most: 5, separator: " " }),
    });
  }
  refuseLosingEdits(inputs, record, found, body, proposed);
  const decision = decide(at, stage, !isSameConfiguration(body.rules, found.rules));
  const lines = [...readableRules(body), ...movedSettings, ...owaspNotes(body)];
  return { decision, body, proposed, lines };
}

async function requireCompatible(client: PageGuardClient, zoneId: string, seen: Observation): Promise<void> {
  const overrides = await client.listUriOverrides(zoneId);
  if (overrides.length > 0) {
    const named = overrides.map(overrideLabel);
    throw new MigrationError("migration-uri-overrides", zoneId, {
      what: `the zone has ${overrides.length === 1 ? "a URI-based WAF override" : `${overrides.length} URI-based WAF overrides`}: ${listed(named)}.`,
      why: "Such overrides, which only the API can make, have no equivalent in the new WAF and exclude the zone from the migration.",
      fix: "Delete them with the API's delete-WAF-override operation, then preview again.",
    });
  }
  if (seen.compatible === true) return;
  throw new MigrationError("migration-not-eligible", zoneId, {
    what: `the compatibility check says that the zone is not eligible${seen.migrationState ? ` (migration state "${shownName(seen.migrationState)}")` : ""}.`,
    why: "Its current configuration holds something that cannot be moved, or its migration is in a state that this package does not know.",
    fix: "Check the zone's WAF page in the dashboard; nothing was sent.",
  });
}

function overrideLabel({ id, description, urls }: UriOverride): string {
  const called = description ? ` "${shown(description)}"` : "";
  const where = listed(
    urls.map((url) => shown(url)),
    { most: 3, separator: ", " },
  );
  return `${shown(id, { max: 40 })}${called} (${where || "no URL"})`;
}

function configurationOf(inputs: Inputs, proposed: WafConfiguration | undefined): WafConfiguration {
  const base = inputs.configuration
    ? { name: inputs.configuration.name, rules: inputs.configuration.rules.map(toRule) }
    : proposed;
  if (!base) {
    throw new MigrationError("migration-no-configuration", inputs.zoneId, {
      what: "the service has no configuration to migrate for this zone.",
      why: 'The operation that proposes it answers "not found".',
      fix: "Check the zone's WAF page in the dashboard, or give the whole configuration in `configuration`.",
    });
  }
  const overrides = inputs.ruleOverrides ?? [];
  const [problem] = overrideProblems(base, overrides);
  if (problem) throw new MigrationError("migration-override-unknown", inputs.zoneId, problem);
  return withOverrides(base, overrides);
}

/** A person's word counts once, for the attempt that it names, and not against what the service shows. */
function refuseWrongAnswer(
  { zoneId, unclearAttempt }: Inputs,
  record: State,
  { at, seen, lost: attempt = record.attempt }: Standing,
): void {
  if (!unclearAttempt || attempt?.mode !== "pending" || attempt.outcome === "accepted") return;
  if (attempt.sentAt !== unclearAttempt.startedAt) {
    // Left over from an earlier attempt, it does no harm while nothing is asked.
    if (at === "unclear") throw otherAttempt(zoneId, unclearAttempt.startedAt, attempt.sentAt);
  } else if (unclearAttempt.outcome === "notAccepted" && showsFinish(seen, record))
    throw contradicted(zoneId, seen);
}

function refusal(found: Standing, zoneId: string, attempt: State["attempt"]): MigrationError {
  const { at } = found;
  if (at !== "finished" && at !== "finishing") return unclearZone(zoneId, found, attempt);
  return new MigrationError("migration-backwards", zoneId, { property: "stage", what: backwards(at) });
}

/**
 * An update replaces the whole list by `body`: what someone has edited, added, deleted or moved since we wrote it is not to be
 * undone by it. Only a configuration that the program has changed says that this is intended.
 */
function refuseLosingEdits(
  inputs: Inputs,
  record: State,
  { at, seen, rules: live }: Standing,
  body: WafConfiguration,
  proposed: WafConfiguration | undefined,
): void {
  // No one has written anything yet.
  if (at === "old" && live.length === 0) return;
  const sent = record.applied?.rules.map(asRule);
  const isStatedAgain =
    inputs.configuration !== undefined &&
    (!sent || !isDeepStrictEqual(record.configuration ?? null, inputs.configuration));
  // As it was when an update was about to be sent that has not arrived.
  const { attempt } = record;
  const isAsBefore =
    attempt?.before.entrypointVersion !== undefined &&
    attempt.before.entrypointVersion === seen.entrypointVersion;
  if (isStatedAgain || isAsBefore) return;
  const expected = sent ?? proposed?.rules ?? body.rules;
  if (isSameConfiguration(expected, live) || isSameConfiguration(body.rules, live)) return;
  throw new MigrationError("migration-edited", inputs.zoneId, {
    what: `the migration would undo what was done to the rules of the entry point: ${edits(expected, body.rules, live)}.`,
    why: "Someone edited them in the dashboard or with another tool since the configuration was sent.",
    fix: "Say what is meant: add the edits as ruleOverrides, or give the whole list as it is to be in `configuration`; or take the edits back in the dashboard.",
  });
}

/** What has become of the rules that were sent, in words. `wanted`: what the program would send now. */
function edits(sent: readonly Rule[], wanted: readonly Rule[], live: readonly Rule[]): string {
  const { missing, left } = compared(sent, live);
  const added = compared(compared(sent, wanted).left, left).left;
  const changed = nearMisses(new Map(missing.entries()), added);
  const isChanged = new Set(changed.map(({ rule }) => rule));
  const isFound = new Set(changed.map(({ index }) => missing[index]));
  const kinds = [
    ["changed", changed.map(({ index, rule }) => changeOf(missing[index], rule))],
    ["added", added.filter((rule) => !isChanged.has(rule)).map(ruleLabel)],
    ["deleted", missing.filter((rule) => !isFound.has(rule)).map(ruleLabel)],
  ] as const;
  const parts = kinds.flatMap(([what, rules]) => (rules.length > 0 ? [`${what}: ${listed(rules)}`] : []));
  return parts.join(". ") || "they are in another order";
}

function changeOf(sent: Rule | undefined, live: Rule): string {
  const how = sent ? ` ${listed(differences(sent, live), { most: 5, separator: ", " })}` : "";
  return `${ruleLabel(live)}:${how}`;
}

/** The declared rules that are not there, and the live ones that no declared one is. */
export function compared(
  declared: readonly Rule[],
  live: readonly Rule[],
): { missing: Rule[]; left: Rule[] } {
  const free = new Set(live);
  const find = ruleFinder(live, (rule) => free.has(rule));
  const missing = declared.filter((rule) => {
    const found = find(unnamed(rule));
    return found === undefined || !free.delete(found);
  });
  return { missing, left: [...free] };
}
