import { declaredAsIn } from "../../lifecycle/urn";
import type { ReviewLoss } from "../../reports/review/review";
import { grouped } from "../../text/grouped";
import { asText, distinct, listIn, recordIn, stringIn, sumOf } from "../values";
import { deletedPolicies, lostRules } from "./agreed-data";
import { type PreviewStep, type ReadFinding, unknownValue } from "./preview-read";
import { isChanging, type ObjectChange, takesOthers } from "./zone-objects";

interface Losses {
  readonly losses: readonly ReviewLoss[];
  /** Findings that they are made of. */
  readonly used: ReadonlySet<ReadFinding>;
  /** Ids of policies that their own resource leaves and an exact set of the stack deletes. */
  readonly ownIds: ReadonlySet<string>;
}

/**
 * What others lose, by the findings of the preview. The program under review can add to them and remove nothing. Where the
 * preview could not read the zone, the steps say that something may be deleted.
 */
export function lossesOf(
  steps: readonly PreviewStep[],
  findings: readonly ReadFinding[],
  changes: readonly ObjectChange[],
  isOffline: boolean,
): Losses {
  const own = new Set(changes.flatMap(({ id }) => id ?? []));
  const ownIds = new Set<string>();
  const used = new Set<ReadFinding>();
  const losses: ReviewLoss[] = [];
  for (const finding of findings.filter(({ severity }) => severity !== "error")) {
    const found = lossesIn(finding);
    if (found.length === 0) continue;
    used.add(finding);
    for (const loss of found) {
      const [{ id } = { id: undefined }] = loss.places;
      if (id !== undefined && own.has(id)) ownIds.add(id);
      else losses.push(loss);
    }
  }
  const known = new Set([...used].flatMap(({ urn }) => urn ?? []));
  const unchecked = steps.filter(
    (step) => isChanging(step) && !known.has(step.urn) && isBlind(step, isOffline),
  );
  return { losses: joined([...losses, ...unchecked.flatMap(unseenLoss)]), used, ownIds };
}

function lossesIn(finding: ReadFinding): ReviewLoss[] {
  const { code, text, data, zone, urn } = finding;
  const by = urn === undefined ? [] : [declaredAsIn(urn)];
  const one = { kind: "policy", fate: "deleted", by, note: undefined, count: 1 } as const;
  const unread = { ...one, label: undefined, places: [{ zone, id: undefined }], content: [], note: text };
  switch (code) {
    case "csp-undeclared-deleted": {
      const policies = deletedPolicies(text, data);
      if (!policies) return [{ ...unread, count: Number(/^(\d{1,5}) more/.exec(text)?.[1] ?? 1) }];
      return policies.map(({ policyId, description, action, enabled, expression, value }) => ({
        ...{ ...one, label: description.trim() || policyId, places: [{ zone, id: policyId }] },
        content: [
          ["action", enabled ? action : `${action}, disabled`],
          ["expression", expression],
          ["value", value],
        ],
      }));
    }
    case "csp-undeclared-unclear":
      return text.includes('others "delete"') ? [{ ...unread, fate: "maybe deleted" }] : [];
    case "waf-rules-overwritten": {
      const lost = lostRules(text, data);
      const fate = lost?.becomes || / will be changed: /.test(text) ? "overwritten" : "deleted";
      if (!lost)
        return [
          { ...unread, kind: "rule", fate, count: Number(/ (\d{1,5}) rules? of/.exec(text)?.[1] ?? 1) },
        ];
      return lost.rules.map((rule) => {
        const { description, id, version: _v, lastUpdated: _u, ref: _r, ...content } = recordIn(rule);
        return {
          ...{ ...one, kind: "rule", fate, places: [{ zone, id: stringIn(id) }] },
          label: stringIn(description) ?? "",
          content: Object.entries(content).map(([name, value]) => [name, asText(value)] as const),
          note: lost.becomes && `Changed into another rule: ${lost.becomes.differs}`,
        };
      });
    }
    default:
      return [];
  }
}

/** It deletes what others have in the zone, and could not read the zone. */
function isBlind(step: PreviewStep, isOffline: boolean): boolean {
  const { isOurs, after } = step;
  if (!isOurs || takesOthers(step) === "no") return false;
  return (
    isOffline || [after?.["zoneId"], ...Object.values(recordIn(after?.["connection"]))].includes(unknownValue)
  );
}

function unseenLoss({ kind, urn, zone, recorded }: PreviewStep): ReviewLoss[] {
  const isSet = kind === "CspPolicySet";
  const labels = listIn(recorded?.[isSet ? "undeclared" : "foreign"]).map(asText);
  const what = isSet
    ? "every policy of the zone that is not declared"
    : "every rule that it does not declare";
  const state = labels.length === 0 ? "" : ` At the last refresh there were: ${labels.join(", ")}.`;
  return [
    {
      ...{ kind: isSet ? "policy" : "rule", fate: "maybe deleted", label: undefined, content: [] },
      ...{ places: [{ zone, id: undefined }], by: [declaredAsIn(urn)], count: Math.max(1, labels.length) },
      note: `This preview could not read the zone. The update deletes ${what}.${state}`,
    },
  ];
}

/** The same object in several zones is one entry. */
function joined(losses: readonly ReviewLoss[]): ReviewLoss[] {
  const groups = grouped(losses, ({ kind, fate, label, content, note }) =>
    JSON.stringify([kind, fate, label, content, note]),
  );
  return [...groups.values()].map((group) => ({
    ...group[0],
    places: group.flatMap(({ places }) => places),
    by: distinct(group.flatMap(({ by }) => by)),
    count: sumOf(group, ({ count }) => count),
  }));
}
