import { isDeepStrictEqual } from "node:util";
import { changedFields, isSameRule, kindOf, zoneIdOf } from "pulumi-page-guard/tools";
import type { Outcome, Step } from "../review/objects";
import { contentOf } from "../review/policies";
import { rulesIn } from "../review/rules";
import { changesIn } from "../review/zones";
import { listIn, recordIn } from "../values";
import type { ApprovedStep } from "./approved-file";
import type { ApprovedZone, Moved, ZoneObject } from "./zone-contents";

/** What approved steps do in a zone that they find like this: as their review has shown it. */
export function plannedIn({ zoneId, objects }: ApprovedZone, steps: readonly ApprovedStep[]): Outcome {
  const of = (kind: ZoneObject["kind"]) => objects.filter((one) => one.kind === kind);
  return changesIn(zoneId, steps.map(asStep), {
    settings: of("settings")[0]?.fields,
    policies: new Map(of("policy").map(({ id, fields }) => [id, fields])),
    rules: of("rule").flatMap(({ id, fields }) => rulesIn([fields]).map((rule) => ({ ...rule, id }))),
  });
}

function asStep({ op, urn, type, id = "", before, after, recorded }: ApprovedStep): Step {
  const kind = kindOf(type);
  return {
    ...{ op, urn, id, before, after, recorded, kind: kind ?? type, isOurs: kind !== undefined },
    ...{ name: "", zone: zoneIdOf(after?.["zoneId"]), differences: [], isRetained: false },
  };
}

/**
 * Whether an approved plan, cut off or overtaken, explains an object that has moved: it is there as the plan leaves it, or the
 * plan leaves nothing of it. Then there is only less to do.
 */
export function isAsPlanned(
  { kind, id, approved, live }: Moved,
  { changes, losses }: Outcome,
  steps: readonly ApprovedStep[],
): boolean {
  if (kind === "migration") return false;
  if (kind === "entrypoint") {
    // Rules that are new or gone have moved themselves. The others are in their order.
    const [was, now] = [approved, live].map((one) => listIn(one?.fields["order"]));
    const name = live?.fields["name"];
    const isSameOrder = isDeepStrictEqual(
      was?.filter((one) => now?.includes(one)),
      now?.filter((one) => was?.includes(one)),
    );
    return (
      isSameOrder &&
      [approved?.fields, ...steps.map(({ after }) => after)].some((one) => one?.["name"] === name)
    );
  }
  const same = changes.filter((one) => one.kind === kind);
  if (kind === "settings")
    return changedFields(kind, approved?.fields, live?.fields).every((name) =>
      same.some((one) => recordIn(one.becomes)[name] === live?.fields[name]),
    );
  if (live) return same.some((one) => (!approved || one.id === id) && isSame(kind, one.becomes, live.fields));
  const isTaken = losses.some(
    ({ fate, places }) => fate === "deleted" && places.some((place) => place.id === id),
  );
  return isTaken || same.some((one) => one.id === id && (one.fate === "delete" || one.fate === "restore"));
}

function isSame(kind: "policy" | "rule", becomes: unknown, live: ZoneObject["fields"]): boolean {
  if (becomes === undefined) return false;
  if (kind === "policy") return contentOf(live).meaning === becomes;
  const [one, other] = rulesIn([becomes, live]);
  return one !== undefined && other !== undefined && isSameRule(one, other);
}
