import { isDeepStrictEqual } from "node:util";
import { declaredAsIn } from "../../lifecycle/urn";
import type { ReviewNote } from "../../reports/review/review";
import { notesOf } from "./notes";
import { type PreviewStep, shownFinding } from "./preview-read";
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
  return refused.map(({ urn, zone }) => ({
    code: "migration-destroy",
    severity: "warning",
    subjects: [declaredAsIn(urn)],
    zones: zone === undefined ? [] : [zone],
    text: "A migration cannot be undone, so the update refuses to destroy it. To stop managing it, set allowForget: true.",
    ...{ file: undefined, line: undefined },
  }));
}

/** The engine shows no difference for a changed connection. */
export function movedConnections(steps: readonly PreviewStep[]): ReviewNote[] {
  return notesOf(
    steps.flatMap(({ isOurs, urn, zone, before, after, connections: { was, becomes } }) => {
      if (!isOurs || !before || !after) return [];
      if (isDeepStrictEqual(was, becomes)) return [];
      const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));
      const text = `The connection was ${shown(was)} and becomes ${shown(becomes)}.`;
      return [shownFinding({ severity: "warning", urn, zone, text })];
    }),
  );
}

export function movesOf(changes: readonly ObjectChange[]): ReviewNote[] {
  const pairs = new Map<string, ReviewNote>();
  for (const { fate, step, movesTo, label, zone } of changes) {
    if (fate !== "move" || !movesTo) continue;
    const [from, to] = [declaredAsIn(step.urn), declaredAsIn(movesTo.urn)];
    const key = JSON.stringify([from, to]);
    const before = pairs.get(key);
    pairs.set(key, {
      ...{ code: undefined, severity: "note", file: undefined, line: undefined },
      subjects: [from],
      zones: zone === undefined ? [] : [zone],
      text: before ? `${before.text}, "${label}"` : `to ${to}: "${label}"`,
    });
  }
  return [...pairs.values()];
}
