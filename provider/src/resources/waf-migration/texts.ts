import type { UriOverride } from "../../api/client-types";
import type { ApiError } from "../../errors/api-error";
import { MigrationError } from "../../errors/zone-error";
import { clean, cleanList, enumerate, pluralize } from "../../text/shown";
import type { Decision } from "./decision-table";
import type { Attempt, Inputs, Observation } from "./state";

/** An unclear reading, with the attempt, if any, whose outcome a person has to find out. */
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
      why: "The service says that the finish was accepted, or that the zone cannot be migrated. Either can mean that the finish took effect, because the service also says of a migrated zone that it cannot be migrated.",
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
    ? `The zone's list of rules was last saved at ${lost.sentAt}, and it contains exactly the rules that this stack sends. Either an update of this stack sent the finishing request and was interrupted before it could record that, or someone else saved the same list.`
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

/** Returns the error for an engine that would write the state only once, at the end of the update. */
export function withoutCheckpoints(zoneId: string): MigrationError {
  return new MigrationError("migration-without-checkpoints", zoneId, {
    what: "PULUMI_SKIP_CHECKPOINTS is set, so the engine records nothing until the whole update has ended.",
    why: "An interrupted update would lose the record of what was sent, and only this record prevents a second finish.",
    fix: "Nothing was sent. Unset the variable for the stack that contains the WafMigration. You may set it again after the migration.",
  });
}

/** Returns the error for a zone with URI-based overrides, which cannot be migrated. */
export function hasUriOverrides(zoneId: string, overrides: readonly UriOverride[]): MigrationError {
  const found = pluralize(overrides.length, "URI-based WAF override");
  return new MigrationError("migration-uri-overrides", zoneId, {
    what: `the zone has ${found}: ${enumerate(overrides.map(overrideLabel))}.`,
    why: "The new WAF has nothing that corresponds to such overrides, so a zone that has them cannot be migrated. Only the API can create them.",
    fix: "Delete them with the API's delete-WAF-override operation, then preview again.",
  });
}

function overrideLabel({ id, description, urls }: UriOverride): string {
  const called = description ? ` "${clean(description)}"` : "";
  return `${cleanName(id)}${called} (${cleanList(urls, { most: 3 }) || "no URL"})`;
}

/** Returns the error for a zone that the compatibility check does not call eligible. */
export function notEligible(zoneId: string, { migrationState }: Observation): MigrationError {
  const state = migrationState ? ` (migration state "${cleanName(migrationState)}")` : "";
  return new MigrationError("migration-not-eligible", zoneId, {
    what: `the compatibility check says that the zone is not eligible${state}.`,
    why: "The zone's current configuration contains something that cannot be moved, or its migration is in a state that this package does not know.",
    fix: "Check the zone's WAF page in the dashboard; nothing was sent.",
  });
}

/** Returns the error for a zone whose configuration cannot be read. `why`: what the service says. */
export function noConfiguration(zoneId: string, why: string): MigrationError {
  return new MigrationError("migration-no-configuration", zoneId, {
    what: "the service has no configuration to migrate for this zone.",
    why,
    fix: "Check the zone's WAF page in the dashboard. If someone has just finished the migration, the configuration can be gone before the service shows the migration as finished. In that case, preview again later. Otherwise declare the whole configuration in `configuration`.",
  });
}

/** Returns the error for a migration that would undo edits. `edits` describes them. */
export function undoesEdits(zoneId: string, edits: string): MigrationError {
  return new MigrationError("migration-edited", zoneId, {
    what: `the migration would undo edits to the rules of the entry point: ${edits}.`,
    why: "Someone has edited them in the dashboard or with another tool since the configuration was sent.",
    fix: "Add the edits as ruleOverrides, set `configuration` to the whole list as it should be, or undo the edits in the dashboard.",
  });
}

/** Returns the error for a zone that could not be read again after a wait for the rate limit. */
export function notReadAgain(zoneId: string, cause: ApiError): MigrationError {
  return new MigrationError("migration-refused", zoneId, {
    cause,
    what: "the request of the migration had to wait for the rate limit, and then the zone could not be read again. Nothing was sent.",
    why: cause.message,
    fix: "Fix the cause above, then run `pulumi up` again.",
  });
}

/** Returns the error for an update that ends before its request. `isGone`: whether the engine has stopped. */
export function canceled(zoneId: string, isGone: boolean): MigrationError {
  return new MigrationError("migration-canceled", zoneId, {
    what: isGone ? "the Pulumi engine has stopped." : "the update was canceled.",
    fix: "Nothing was sent. Run `pulumi up` again to continue.",
  });
}

const requestNames = { pending: "the finishing request", validation: "the validation request" };

/** Returns the error for a request that got no clear response and left no sign in the zone. */
export function unknownOutcome(zoneId: string, mode: Attempt["mode"], cause: ApiError): MigrationError {
  return new MigrationError("migration-no-answer", zoneId, {
    cause,
    what: `${requestNames[mode]} got no clear response, and the zone shows no sign that it was accepted. It was sent only once.`,
    why: cause.message,
    fix: "Run `pulumi up` again: it checks the zone first, continues if the request was accepted after all, and sends it again only if the zone is still unchanged. The attempt is kept in the state.",
  });
}

/** Returns the part of an error's message that quotes the service; the whole message if no part does. */
export function quoteService({ message }: ApiError): string {
  return /The service says: ".*?"\./.exec(message)?.[0] ?? message;
}

/** Returns the error for a request that the service refused, or that was never sent. */
export function refusedUpdate(zoneId: string, mode: Attempt["mode"], cause: ApiError): MigrationError {
  const update = requestNames[mode];
  const happened =
    cause.outcome === "unsent" ? `${update} could not be sent` : `the service refused ${update}`;
  const what = `${happened}. Nothing has changed in the zone.`;
  // A 403 may mean that the zone's plan has no validation mode. In that case, the usual advice about tokens would mislead.
  if (mode === "validation" && mayBeOfPlan(cause))
    return new MigrationError("migration-refused", zoneId, {
      cause,
      what,
      why: `Validation mode exists on Enterprise zones only, and the service's APIs do not show in advance which plan a zone has. ${quoteService(cause)}`,
      fix: 'On Pro and Business, go straight to stage: "finished". On Enterprise, check the reason above.',
    });
  const fix = "Fix the cause above, then run `pulumi up` again.";
  return new MigrationError("migration-refused", zoneId, { cause, what, why: cause.message, fix });
}

/**
 * Whether the service may have refused a validation because the zone's plan has no validation mode. Must be false for
 * rate limits, unknown tokens and network failures: if it is true, the error advises finishing at once, which cannot be undone.
 */
function mayBeOfPlan(cause: ApiError): boolean {
  if (cause.code === "PG_AUTHENTICATION") return cause.facts.httpStatus === 403;
  if (cause.code === "PG_REFUSED") return cause.facts.httpStatus !== 409;
  return cause.code === "PG_NOT_ENTITLED";
}

/** Explains why a migration cannot move to another zone. */
export function explainOtherZone(zoneId: string): string {
  return `a migration stays with its zone (${zoneId}): it can neither be moved nor undone. Declare a separate WafMigration for the other zone.`;
}

/** Explains why a migration cannot be destroyed, and how to stop managing it. */
export function explainDestroyRefusal(urn: string | undefined): string {
  return `it cannot be undone, and the zone would stay migrated while the stack says it is not. To stop managing it and leave the zone as it is: set allowForget: true, run \`pulumi up\` once, then destroy. Or drop it from the state: \`pulumi state delete --force '${urn ?? "<urn>"}'\` (\`pulumi stack --show-urns\` shows the URN). To destroy the rest of the stack: \`pulumi destroy --exclude-protected\`.`;
}

/** Name of the operation in errors of a destroy. */
export const destroying = "destroy the WAF migration";
