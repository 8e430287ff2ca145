import { isDeepStrictEqual } from "node:util";
import type { Rule, WafConfiguration } from "../../api/client-types";
import type { Operations, PageGuardClient } from "../../api/create-client";
import { isApiError } from "../../errors/api-error";
import { MigrationError } from "../../errors/zone-error";
import { readZone, requireValues } from "../../functions/read-zone";
import { tell } from "../../lifecycle/findings-file";
import type { Run } from "../../lifecycle/run";
import type { Finding } from "../../model/finding";
import { differences, nearMisses } from "../../model/waf-rules/rule-difference";
import { toRule } from "../../model/waf-rules/rule-input";
import { ruleLabel } from "../../model/waf-rules/rule-label";
import { matchRules } from "../../model/waf-rules/rule-match";
import { enumerate } from "../../text/shown";
import {
  asRule,
  isSameConfiguration,
  limitProblems,
  overrideProblems,
  withOverrides,
  withoutIdentity,
} from "./configuration";
import type { UpdateAction } from "./decision-table";
import { makeStanding, readMigration, type Standing } from "./reading";
import type { Inputs, State } from "./state";
import {
  hasUriOverrides,
  makeRefusal,
  noConfiguration,
  notEligible,
  undoesEdits,
  withoutCheckpoints,
} from "./texts";

export interface MigrationWork {
  readonly run: Run;
  readonly client: PageGuardClient;
  readonly inputs: Inputs;
  readonly tell: (finding: Finding) => Promise<void>;
  /** Aborts when the engine cancels the update. */
  readonly cancellation: AbortSignal;
}

type Sight = Pick<MigrationWork, "inputs"> & { readonly client: Operations };

/** A reading on which the update can continue: it is not refused, and needs no decision by a person. */
export interface Prepared extends Standing {
  readonly outcome: Exclude<UpdateAction, "ask" | "refuse">;
  /** Configuration to send, or the configuration that an interrupted finish has sent. */
  readonly body?: WafConfiguration;
  readonly proposed?: WafConfiguration | undefined;
}

/** Returns the context of an update. Throws if the engine would write the state only once, at the end of the update. */
export function beginWork(run: Run, inputs: Inputs, urn: string): MigrationWork {
  if (run.skipsCheckpoints) throw withoutCheckpoints(inputs.zoneId);
  const place = { urn, zoneId: inputs.zoneId };
  return {
    run,
    client: run.client(inputs.connection),
    inputs,
    tell: (finding) => tell(run, finding, place),
    cancellation: run.cancellation(),
  };
}

/**
 * Longest time, in milliseconds, until reads show a change of a zone. Waiting for this time before another reading is called
 * settling.
 */
export const settlingMs = 30_000;

/** Maximum random time in milliseconds to add to `settlingMs`, so that pipelines that began together do not send at once. */
const settlingJitterMs = 5000;

export async function letSettle(run: Run): Promise<void> {
  await run.sleep(settlingMs + run.random() * settlingJitterMs);
}

/**
 * Reads the zone, decides what the update does, and makes all checks that are possible before a change. Throws if the update is
 * refused. If the state contains an attempt to finish, reads the zone once more before it refuses: the first reading may be out
 * of date and not show the finish yet.
 */
export async function prepare(work: MigrationWork, recorded: State): Promise<Prepared> {
  try {
    return await decideOnce(work, recorded);
  } catch (error) {
    if (recorded.attempt?.mode !== "pending" || !(error instanceof MigrationError)) throw error;
    await letSettle(work.run);
    return decideOnce(work, recorded);
  }
}

/** Reads the zone, and decides. Throws if the update is refused. */
export async function decideOnce({ client, inputs }: Sight, recorded: State): Promise<Prepared> {
  const { zoneId, stage, unclearAttempt } = inputs;
  const record = { ...recorded, unclearAttempt };
  const reading = await readMigration(client, zoneId);
  const first = requireDecision(inputs, makeStanding(reading, record, stage));
  if (first.at !== "old" && first.at !== "validation") return first;
  // 1. Is the zone eligible?
  await requireCompatible(client, zoneId, first);
  // 2. Can the proposed configuration be read? Add the program's overrides to it.
  const read = await readZone(client, zoneId, ["wafConfiguration"]);
  const [failed] = read.unread;
  // In a zone in validation, the configuration was readable before. If the service refuses to return it now, a finish may be
  // under way that the compatibility check and the status do not show.
  if (first.at === "validation" && isApiError(failed?.error, "PG_REFUSED"))
    throw noConfiguration(zoneId, failed.error.message);
  const { wafConfiguration: proposed } = requireValues(read, ({ why }) => why === "gone");
  const body = buildConfiguration(inputs, proposed);
  // 3. Has an interrupted finish already sent this configuration?
  const found = requireDecision(inputs, makeStanding(reading, record, stage, body.rules));
  if (found.at !== first.at) return { ...found, body };
  // 4. Is the configuration within the limits, and does it keep other people's edits?
  const problems = limitProblems(body);
  if (problems.length > 0) {
    throw new MigrationError("migration-too-large", zoneId, {
      property: "configuration",
      what: enumerate(problems, { most: 5, separator: " " }),
    });
  }
  refuseLosingEdits(inputs, record, found, body, proposed);
  return { ...found, body, proposed };
}

/** Returns the reading with its decision. Throws if the decision refuses the update or needs a person's decision. */
function requireDecision(inputs: Inputs, found: Standing): Prepared {
  const { outcome } = found;
  if (outcome === "ask" || outcome === "refuse") throw makeRefusal(inputs, found);
  return { ...found, outcome };
}

async function requireCompatible(client: Operations, zoneId: string, { seen }: Standing): Promise<void> {
  const overrides = await client.listUriOverrides(zoneId);
  if (overrides.length > 0) throw hasUriOverrides(zoneId, overrides);
  if (seen.compatible !== true) throw notEligible(zoneId, seen);
}

function buildConfiguration(inputs: Inputs, proposed: WafConfiguration | undefined): WafConfiguration {
  const { zoneId, configuration, ruleOverrides = [] } = inputs;
  const base = configuration
    ? { name: configuration.name, rules: configuration.rules.map(toRule) }
    : proposed;
  if (!base)
    throw noConfiguration(zoneId, 'The operation that proposes a configuration returns "not found".');
  const [problem] = overrideProblems(base, ruleOverrides);
  if (problem) throw new MigrationError("migration-override-unknown", zoneId, problem);
  return withOverrides(base, ruleOverrides);
}

/**
 * Throws if the update would undo someone else's edits, because it replaces the whole list with `body`. If the program has
 * changed `configuration`, the replacement is intended.
 */
function refuseLosingEdits(
  { zoneId, configuration }: Inputs,
  { applied, attempt, configuration: before }: State,
  { at, seen, rules: live }: Standing,
  body: WafConfiguration,
  proposed: WafConfiguration | undefined,
): void {
  // The list is still empty, so nobody has edited it.
  if (at === "old" && live.length === 0) return;
  const sent = applied?.rules.map(asRule);
  const isStatedAgain =
    configuration !== undefined && (!sent || !isDeepStrictEqual(before ?? null, configuration));
  // If the list still has the version that it had before an earlier attempt, neither that attempt nor a person has changed it.
  const version = attempt?.before.entrypointVersion;
  if (isStatedAgain || (version !== undefined && version === seen.entrypointVersion)) return;
  const expected = sent ?? proposed?.rules ?? body.rules;
  if (isSameConfiguration(expected, live) || isSameConfiguration(body.rules, live)) return;
  throw undoesEdits(zoneId, edits(expected, body.rules, live));
}

/** Describes how the live rules differ from those that were sent. Leaves out changes that the program makes too (`wanted`). */
function edits(sent: readonly Rule[], wanted: readonly Rule[], live: readonly Rule[]): string {
  const { missing, left } = compareLists(sent, live);
  const added = compareLists(compareLists(sent, wanted).left, left).left;
  const changed = nearMisses(missing, added);
  const how = ({ declared, rule }: (typeof changed)[number]) =>
    enumerate(differences(declared, rule), { most: 5, separator: ", " });
  const kinds = {
    changed: changed.map((one) => `${ruleLabel(one.rule)}: ${how(one)}`),
    added: added.filter((rule) => !changed.some((one) => one.rule === rule)).map(ruleLabel),
    deleted: missing.filter((rule) => !changed.some(({ declared }) => declared === rule)).map(ruleLabel),
  };
  const parts = Object.entries(kinds).filter(([, rules]) => rules.length > 0);
  return (
    parts.map(([what, rules]) => `${what}: ${enumerate(rules)}`).join(". ") ||
    "the rules are in a different order"
  );
}

/** Returns declared rules that are not in the live list (`missing`), and live rules that are not declared (`left`). */
export function compareLists(declared: readonly Rule[], live: readonly Rule[]) {
  const match = matchRules(declared.map(withoutIdentity), [], live);
  return { missing: declared.filter((_rule, index) => !match.live[index]), left: match.foreign };
}
