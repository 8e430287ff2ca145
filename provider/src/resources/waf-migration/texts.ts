import { MigrationError } from "../../errors/zone-error";
import { clean } from "../../text/shown";
import type { Decision } from "./decision-table";
import type { Attempt, Inputs, Observation } from "./state";

/** An unclear reading, with the attempt whose outcome a person has to find out, if there is such an attempt. */
interface Unclear extends Pick<Decision, "because" | "asked" | "lost"> {
  readonly seen: Observation;
}

/** Returns the error for an update that is refused or needs a person's decision. */
export function makeRefusal({ zoneId, unclearAttempt }: Inputs, found: Unclear & Decision): MigrationError {
  const { outcome, refusal, asked, at, seen } = found;
  if (refusal === "contradicted")
    return new MigrationError("migration-answer-contradicted", zoneId, {
      property: "unclearAttempt",
      what: `outcome says that the finish was not accepted, but the zone shows otherwise (${facts(seen)}).`,
      why: "The service says either that the finish was accepted, or that the zone cannot be migrated. It says the latter also of zones that have already been migrated.",
      fix: 'Nothing was sent. Check the dashboard again. If the finish is under way or done, write outcome: "accepted". Otherwise remove unclearAttempt.',
    });
  if (refusal === "outdated")
    return new MigrationError("migration-answer-outdated", zoneId, {
      property: "unclearAttempt.startedAt",
      what: `startedAt is ${cleanName(unclearAttempt?.startedAt ?? "")}, but the unresolved attempt started at ${asked?.sentAt}.`,
      why: "An answer is valid for one attempt only: each finishing request is a new attempt.",
      fix: `Check the zone's WAF page in the dashboard again, then write startedAt: "${asked?.sentAt}", or remove unclearAttempt.`,
    });
  if (outcome === "refuse")
    return new MigrationError("migration-backwards", zoneId, {
      property: "stage",
      what: explainBackwards(at === "finished" ? "finished" : "finishing"),
    });
  return unclearZone(zoneId, found);
}

/** Returns the error for a zone whose stage in the migration is unclear. In this case, nothing is sent. */
export function unclearZone(zoneId: string, { seen, because, asked, lost }: Unclear): MigrationError {
  const what = `the state of the zone's migration is ambiguous (${facts(seen)}).`;
  if (!asked)
    return new MigrationError("migration-unclear", zoneId, {
      what,
      why: `${because} A finish cannot be undone, so it must not be sent twice.`,
      fix: "Nothing was sent. Run `pulumi up` again in a few minutes; if this does not change, check the zone's WAF page in the dashboard and finish the migration there. This program then adopts it.",
    });
  const why = lost
    ? `The list of rules was saved at ${lost.sentAt}, with the rules that this stack sends. Either an update of this stack sent the finishing request and was interrupted before it recorded that, or someone saved the list again.`
    : `The finishing request of ${asked.sentAt} got no response, and the zone has changed since in a way that does not show whether it was accepted: someone may have edited the rules.`;
  const fix = `Nothing was sent. Check the zone's WAF page in the dashboard. If the previous WAF is still active and nothing is in progress, add \`${answerTo(asked, "notAccepted")}\` to the WafMigration; if the finish is under way or done, add \`${answerTo(asked, "accepted")}\`. The answer is valid for this attempt only.`;
  return new MigrationError("migration-unclear", zoneId, { what, why, fix });
}

/** Returns the argument that declares the outcome of an attempt in a program. */
export function answerTo({ sentAt }: Attempt, outcome: "accepted" | "notAccepted"): string {
  return `unclearAttempt: { startedAt: "${sentAt}", outcome: "${outcome}" }`;
}

export function cleanName(name: string): string {
  return clean(name, { max: 40 });
}

function facts(seen: Observation): string {
  return [
    `compatible: ${seen.compatible ?? "unknown"}`,
    `migration state: ${cleanName(seen.migrationState ?? "unknown")}`,
    `previous WAF: ${onOrOff(seen.oldEnabled)}`,
    `new WAF: ${onOrOff(seen.newEnabled)}`,
    `rules in the entry point: ${seen.ruleCount}`,
  ].join(", ");
}

export function onOrOff(enabled: boolean | undefined): string {
  return enabled === undefined ? "unknown" : enabled ? "on" : "off";
}

/** Explains why the migration cannot go back to validation. `recorded`: only the state was read, not the zone. */
export function explainBackwards(known: "finished" | "finishing" | "recorded"): string {
  return `${finishText[known]} Write stage: "finished", and edit the rules in a ManagedWafEntrypoint.`;
}

const finishText = {
  finished: "the migration of this zone is finished and cannot go back to validation.",
  finishing: "this zone's migration is being finished, and there is no way back to validation.",
  recorded:
    "according to the state, this stack has sent the finishing request, or has seen that the zone's migration was finished or being finished. So the migration cannot go back to validation.",
};
