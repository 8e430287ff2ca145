import type { PageGuardClient, UriOverride, WafConfiguration } from "../../api/client-types";
import { MigrationError } from "../../errors/migration-error";
import { listed } from "../../text/listed";
import { shown } from "../../text/shown";
import { toRule } from "../../waf-rules/rule-input";
import { readZone, valuesOf } from "../../zone/read-zone";
import { limitProblems, movedSettings, overrideProblems, owaspNotes, withOverrides } from "./configuration";
import { type Decision, decide, showsFinish } from "./decision";
import { refuseLosingEdits } from "./lost-edits";
import { readableRules } from "./readable-rules";
import { isSameConfiguration } from "./rules";
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
  const proposed = await proposedConfiguration(client, zoneId);
  const body = configurationOf(inputs, proposed);
  // 3. Within the limits, and no unmanaged rule in the way.
  const problems = limitProblems(body);
  if (problems.length > 0) {
    throw new MigrationError(
      "migration-too-large",
      { what: listed(problems, { most: 5, separator: " " }) },
      { zoneId, property: "configuration" },
    );
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
    throw new MigrationError(
      "migration-uri-overrides",
      {
        what: `the zone has ${overrides.length === 1 ? "a URI-based WAF override" : `${overrides.length} URI-based WAF overrides`}: ${listed(named)}.`,
        why: "Such overrides, which only the API can make, have no equivalent in the new WAF and exclude the zone from the migration.",
        fix: "Delete them with the API's delete-WAF-override operation, then preview again.",
      },
      { zoneId },
    );
  }
  if (seen.compatible === true) return;
  throw new MigrationError(
    "migration-not-eligible",
    {
      what: `the compatibility check says that the zone is not eligible${seen.migrationState ? ` (migration state "${shownName(seen.migrationState)}")` : ""}.`,
      why: "Its current configuration holds something that cannot be moved, or its migration is in a state that this package does not know.",
      fix: "Check the zone's WAF page in the dashboard; nothing was sent.",
    },
    { zoneId },
  );
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
    throw new MigrationError(
      "migration-no-configuration",
      {
        what: "the service has no configuration to migrate for this zone.",
        why: 'The operation that proposes it answers "not found".',
        fix: "Check the zone's WAF page in the dashboard, or give the whole configuration in `configuration`.",
      },
      { zoneId: inputs.zoneId },
    );
  }
  const overrides = inputs.ruleOverrides ?? [];
  const [problem] = overrideProblems(base, overrides);
  if (problem) {
    throw new MigrationError(
      "migration-override-unknown",
      { what: problem.message },
      { zoneId: inputs.zoneId, property: problem.property },
    );
  }
  return withOverrides(base, overrides);
}

/** A person's word counts once, for the attempt that it names, and not against what the service shows. */
function refuseWrongAnswer(
  { zoneId, unclearAttempt }: Inputs,
  { attempt }: State,
  { at, seen }: Standing,
): void {
  if (!unclearAttempt || attempt?.mode !== "pending" || attempt.outcome === "accepted") return;
  if (attempt.sentAt !== unclearAttempt.startedAt) {
    // Left over from an earlier attempt, it does no harm while nothing is asked.
    if (at === "unclear") throw otherAttempt(zoneId, unclearAttempt.startedAt, attempt.sentAt);
  } else if (unclearAttempt.outcome === "notAccepted" && showsFinish(seen)) throw contradicted(zoneId, seen);
}

function refusal({ at, seen }: Standing, zoneId: string, attempt: State["attempt"]): MigrationError {
  if (at !== "finished" && at !== "finishing") return unclearZone(zoneId, seen, attempt);
  return new MigrationError("migration-backwards", { what: backwards(at) }, { zoneId, property: "stage" });
}

async function proposedConfiguration(
  client: PageGuardClient,
  zoneId: string,
): Promise<WafConfiguration | undefined> {
  const read = await readZone(client, zoneId, ["wafConfiguration"]);
  return valuesOf(read, ({ why }) => why === "gone").wafConfiguration;
}
