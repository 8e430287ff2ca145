import { declaredAsIn } from "../../lifecycle/urn";
import type { ReviewLoss } from "../../reports/review/review";
import { deletedPolicies, lostRules } from "./agreed-data";
import { type PreviewStep, type ReadFinding, unknownValue } from "./preview-read";
import { isChanging, type ObjectChange, recordIn, stringIn } from "./zone-objects";

export interface Losses {
  readonly losses: readonly ReviewLoss[];
  /** Findings that are told with them. */
  readonly used: ReadonlySet<ReadFinding>;
  /** Ids of policies of this stack that an exact set deletes although their resource leaves them. */
  readonly ownIds: ReadonlySet<string>;
}

/**
 * What others lose. The preview names it, and the program under review can add to that and take nothing away; where
 * nobody could look, the steps say that something may go.
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
  const told = new Set([...used].flatMap(({ urn }) => urn ?? []));
  const unlooked = steps.filter(
    (step) => isChanging(step) && !told.has(step.urn) && isBlind(step, isOffline),
  );
  return { losses: grouped([...losses, ...unlooked.flatMap(unseenLoss)]), used, ownIds };
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
          content: Object.entries(content).map(([name, value]) => [name, textOf(value)] as const),
          note: lost.becomes && `What becomes another one: ${lost.becomes.differs}`,
        };
      });
    }
    default:
      return [];
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Deletes whatever is there of others, and has not looked. */
function isBlind({ isOurs, kind, after }: PreviewStep, isOffline: boolean): boolean {
  if (!isOurs || !isTaking(kind, after)) return false;
  return (
    isOffline || [after?.["zoneId"], ...Object.values(recordIn(after?.["connection"]))].includes(unknownValue)
  );
}

function isTaking(kind: string, after: PreviewStep["after"]): boolean {
  if (kind === "CspPolicySet") return after?.["others"] === "delete" || after?.["others"] === unknownValue;
  const rules = after?.["foreignRules"];
  return kind === "ManagedWafEntrypoint" && (rules === "overwrite" || rules === unknownValue);
}

function unseenLoss({ kind, urn, zone, recorded }: PreviewStep): ReviewLoss[] {
  const isSet = kind === "CspPolicySet";
  const known = recorded?.[isSet ? "undeclared" : "foreign"];
  const labels = Array.isArray(known) ? known.map(String) : [];
  const what = isSet
    ? "every policy of the zone that nothing declares"
    : "every rule that it does not declare";
  const state = labels.length === 0 ? "" : ` At the last look there were: ${labels.join(", ")}.`;
  return [
    {
      ...{ kind: isSet ? "policy" : "rule", fate: "maybe deleted", label: undefined, content: [] },
      ...{ places: [{ zone, id: undefined }], by: [declaredAsIn(urn)], count: Math.max(1, labels.length) },
      note: `This preview could not look: the update deletes ${what}.${state}`,
    },
  ];
}

/** The same object in many zones is one to read. */
function grouped(losses: readonly ReviewLoss[]): ReviewLoss[] {
  const groups = new Map<string, ReviewLoss>();
  for (const loss of losses) {
    const { kind, fate, label, content, note, places, by, count } = loss;
    const key = JSON.stringify([kind, fate, label, content, note]);
    const before = groups.get(key);
    groups.set(key, {
      ...loss,
      places: [...(before?.places ?? []), ...places],
      by: [...new Set([...(before?.by ?? []), ...by])],
      count: (before?.count ?? 0) + count,
    });
  }
  return [...groups.values()];
}
