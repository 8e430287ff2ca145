import type { Attempt, Inputs, MigrationPosition, Observation, State } from "./state";
import { chooseColumn, type Recording, tellsNothing, type View, views } from "./zone-view";

type PositionCell = readonly [at: MigrationPosition | "from" | "contradicted", because: string];

/** Cells of the table. `from`: position before the attempt; `contradicted`: the zone contradicts `unclearAttempt`. */
const is = {
  over: ["finished", "A migration that has ended cannot be undone."],
  ended: ["finished", "The finish was accepted, and the migration has ended."],
  awaited: [
    "finishing",
    "An accepted finish is never sent again, whatever the zone shows: a reading may be out of date.",
  ],
  accepted: ["finishing", "The zone shows that the finish was accepted."],
  lost: ["from", "An accepted finish would have changed something, so the request never arrived."],
  open: ["unclear", "The zone has changed in a way that does not show whether the finish was accepted."],
  contradicted: ["contradicted", "The check or the status says that the finish was accepted."],
  denied: ["from", "A person says that the finish was not accepted, and nothing shows otherwise."],
  saved: ["unclear", "A finish was cut off before it was recorded, or someone saved the list."],
  onlySaved: ["validation", "A person says that no finish was cut off, and nothing shows otherwise."],
  endedByOthers: ["finished", "The migration has ended, and the state has no finish of this stack."],
  finishedByOthers: ["finishing", "A finish is under way, and the state has no finish of this stack."],
  untold: ["unclear", "The zone does not show how far the migration has come."],
  named: ["validation", "The zone is in validation."],
  kept: ["validation", "The zone is as it was when it was seen in validation."],
  taken: ["validation", "The validation request of this stack was accepted."],
  begun: ["unclear", "The migration has begun, and may be anywhere between validation and its end."],
  untouched: ["old", "The migration has not begun."],
  notTaken: ["old", "A validation would have written the list, so the request never arrived."],
  emptied: [
    "unclear",
    "The list has changed and has no rules, so it does not show whether the zone is in validation.",
  ],
} as const satisfies Readonly<Record<string, PositionCell>>;

type Row = Readonly<Record<View, PositionCell>>;

function each(cell: PositionCell): Row {
  return Object.fromEntries(Object.keys(views).map((view) => [view, cell])) as Row;
}

const byOthers = { finishing: is.finishedByOthers, new: is.endedByOthers };
const begins = { ...each(is.untold), ...byOthers, validation: is.named };
const asked = {
  ...each(is.open),
  new: is.ended,
  gone: is.ended,
  finishing: is.accepted,
  checkGone: is.accepted,
};
const shown = {
  new: is.contradicted,
  gone: is.contradicted,
  finishing: is.contradicted,
  checkGone: is.contradicted,
};

/** Position of a zone, by the state (rows, see `recordings`) and by a reading of the zone (columns, see `views`). */
export const table: Readonly<Record<Recording, Row>> = {
  nothing: { ...begins, old: is.untouched, begun: is.begun },
  validationUnanswered: { ...begins, same: is.notTaken, old: is.emptied, begun: is.taken },
  validationSent: { ...begins, same: is.kept, old: is.emptied, begun: is.taken },
  validation: { ...begins, same: is.kept, old: is.emptied, begun: is.begun },
  cutOff: { ...each(is.saved), ...byOthers },
  cutOffDenied: { ...each(is.onlySaved), ...byOthers },
  finishUnanswered: { ...asked, same: is.lost },
  finishDenied: { ...each(is.denied), ...shown },
  finishAccepted: { ...each(is.awaited), new: is.ended, gone: is.ended },
  finished: each(is.over),
};

/** Action of an update. `ask`: the update sends nothing and asks a person to check the dashboard. */
export type UpdateAction = "validate" | "finish" | "wait" | "adopt" | "ask" | "refuse";

/** Actions of updates, by position and declared stage. `decide` makes one exception, for a changed list in validation. */
export const outcomes: Record<MigrationPosition, Record<Inputs["stage"], UpdateAction>> = {
  old: { validation: "validate", finished: "finish" },
  validation: { validation: "adopt", finished: "finish" },
  finishing: { validation: "refuse", finished: "wait" },
  finished: { validation: "refuse", finished: "adopt" },
  unclear: { validation: "ask", finished: "ask" },
};

/** Comparison of the zone's list of rules with the sent list and the declared list. */
export interface ListFacts {
  /** Whether the list equals the list that this stack sent last, or the list that a finish would send now. */
  readonly isAsSent: boolean;
  /** Whether the list differs from the declared one. */
  readonly isAdjusted?: boolean;
  /** Time at which the list was last saved, ISO 8601. */
  readonly lastUpdated?: string | undefined;
}

export interface Decision {
  readonly outcome: UpdateAction;
  readonly at: MigrationPosition;
  readonly because: string;
  /** Reason for a refusal. A refusal without a reason means that the program wants to go back to validation. */
  readonly refusal?: "contradicted" | "outdated";
  /** The finishing attempt, if any. If the zone does not show its outcome, a person has to declare it in `unclearAttempt`. */
  readonly asked?: Attempt | undefined;
  /** Finish that may have been cut off after it wrote the list, but before the state recorded it. */
  readonly lost?: Attempt | undefined;
  /**
   * Whether no status of the zone can be read, and the migration is treated as finished only because `unclearAttempt` says so.
   */
  readonly isByWord?: boolean;
}

/** Decides what an update of a migration does, from `table` and `outcomes`. Pure. */
export function decide(stage: Inputs["stage"], record: State, seen: Observation, list: ListFacts): Decision {
  const cutOff = cutOffFinish(record, seen, list);
  const { attempt = cutOff?.attempt } = record;
  const asked = attempt?.mode === "pending" ? attempt : undefined;
  const answer = answerAbout(record, asked);
  const recorded = chooseRow(record, asked, answer, cutOff !== undefined);
  const shows = chooseColumn(recorded, record, seen);
  const [at, because] = table[recorded][shows];
  const isOver = at === "finishing" || at === "finished";
  const facts = { because, asked, lost: isOver && answer !== "accepted" ? undefined : cutOff?.attempt };
  // The compatibility check overrules a person's answer, because only a compatible zone can be finished.
  const isContradicted = recorded.endsWith("Denied") && !isOver && seen.compatible !== true;
  if (at === "contradicted" || isContradicted)
    return { ...facts, at: "unclear", outcome: "refuse", refusal: "contradicted" };
  if (at === "unclear" && asked && record.unclearAttempt)
    return { ...facts, at, outcome: "refuse", refusal: "outdated" };
  const isByWord = at === "finishing" && answer === "accepted" && tellsNothing(seen);
  const position = isByWord ? "finished" : at === "from" ? (attempt?.from ?? beforeAttempt(record)) : at;
  const isSentAgain = position === "validation" && stage === "validation" && list.isAdjusted;
  const outcome = isSentAgain ? "validate" : outcomes[position][stage];
  return { ...facts, at: position, outcome, isByWord };
}

/** Returns the position of a zone before an attempt, for states of older versions, which do not contain it. */
function beforeAttempt({ attempt, reached, observed }: State): MigrationPosition {
  const before = attempt?.before;
  return before ? decide("finished", { reached, observed }, before, { isAsSent: false }).at : "unclear";
}

/**
 * Returns a finish that may have been cut off before the state recorded it. There may be one if the zone was seen in validation,
 * and its list was saved later with the rules that a finish sends. The time of that save identifies the attempt.
 */
function cutOffFinish(
  { reached, attempt, observed }: State,
  { entrypointVersion: version }: Observation,
  { isAsSent, lastUpdated }: ListFacts,
): { readonly attempt?: Attempt } | undefined {
  const before = observed?.entrypointVersion;
  const isNewer = before !== undefined && version !== undefined && before !== version;
  if (reached !== "validation" || attempt || !observed || !isNewer || !isAsSent) return undefined;
  const savedAt = Date.parse(lastUpdated ?? "");
  if (Number.isNaN(savedAt)) return {};
  const sentAt = new Date(savedAt).toISOString();
  return { attempt: { mode: "pending", sentAt, outcome: "unknown", before: observed, from: "validation" } };
}

/** Returns the outcome in `unclearAttempt`; undefined if `unclearAttempt` is absent or about another attempt. */
function answerAbout({ unclearAttempt }: State, asked: Attempt | undefined) {
  return asked && asked.sentAt === unclearAttempt?.startedAt ? unclearAttempt.outcome : undefined;
}

/** Whether the service or `unclearAttempt` says that the attempt in the state was accepted. */
export function isKnownAccepted(record: State): boolean {
  const { attempt } = record;
  return attempt?.outcome === "accepted" || answerAbout(record, attempt) === "accepted";
}

function chooseRow(
  { reached, attempt, observed }: State,
  asked: Attempt | undefined,
  answer: ReturnType<typeof answerAbout>,
  isCutOff: boolean,
): Recording {
  if (reached === "finished") return "finished";
  if (asked?.outcome === "accepted" || answer === "accepted") return "finishAccepted";
  if (isCutOff) return answer ? "cutOffDenied" : "cutOff";
  if (asked) return answer ? "finishDenied" : "finishUnanswered";
  if (!attempt) return reached === "validation" ? "validation" : "nothing";
  const isTaken = attempt.outcome === "accepted" || reached || (observed?.ruleCount ?? 0) > 0;
  return isTaken ? "validationSent" : "validationUnanswered";
}
