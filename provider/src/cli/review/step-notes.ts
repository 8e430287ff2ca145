import { isDeepStrictEqual } from "node:util";
import { declaredAsIn } from "../../lifecycle/urn";
import type { ReviewNote } from "../../reports/review/review";
import { grouped } from "../../text/grouped";
import { notesOf } from "./notes";
import { asPlainJson, type PreviewStep, shownFinding } from "./preview-read";
import type { ObjectChange } from "./zone-objects";

/** A preview does not show that the provider will refuse to forget a migration. */
export function refusedDestroys(steps: readonly PreviewStep[]): ReviewNote[] {
  const refused = steps.filter(
    ({ isOurs, kind, op, recorded, isRetained }) =>
      isOurs &&
      kind === "WafMigrationStep" &&
      op === "delete" &&
      !isRetained &&
      recorded?.["allowForget"] !== true,
  );
  const text =
    "A migration cannot be undone, so the update refuses to destroy it. To stop managing it, set allowForget: true.";
  return refused.flatMap(({ urn, zone }) =>
    notesOf([shownFinding({ code: "migration-destroy", severity: "warning", urn, zone, text })]),
  );
}

/** The engine shows no difference for a changed connection. */
export function movedConnections(steps: readonly PreviewStep[]): ReviewNote[] {
  const moved = steps.filter(
    ({ isOurs, before, after, connections: { was, becomes } }) =>
      isOurs && before && after && !isDeepStrictEqual(was, becomes),
  );
  const said = (value: unknown): string =>
    value === undefined ? "nothing" : JSON.stringify(asPlainJson(value));
  return notesOf(
    moved.map(({ urn, zone, connections: { was, becomes } }) => {
      const text = `The connection was ${said(was)} and becomes ${said(becomes)}.`;
      return shownFinding({ severity: "warning", urn, zone, text });
    }),
  );
}

export function movesOf(changes: readonly ObjectChange[]): ReviewNote[] {
  const moves = changes.flatMap(({ fate, step, movesTo, label, zone }) =>
    fate === "move" && movesTo ? [{ urn: step.urn, to: declaredAsIn(movesTo.urn), label, zone }] : [],
  );
  const pairs = grouped(moves, ({ urn, to }) => JSON.stringify([declaredAsIn(urn), to]));
  return [...pairs.values()].flatMap((group) => {
    const [{ urn, zone, to }] = group;
    const text = `to ${to}: ${group.map(({ label }) => `"${label}"`).join(", ")}`;
    return notesOf([shownFinding({ severity: "info", urn, zone, text })]);
  });
}
