import { isDeepStrictEqual } from "node:util";
import {
  anyWafRule,
  changedFields,
  declaredText,
  isKindName,
  isSameRule,
  kindOf,
  kinds,
  toRule,
  zoneIdIn,
} from "pulumi-page-guard/tools";
import { listIn, recordIn } from "../values";
import type { ApprovedStep } from "./approved-file";
import type { ApprovedZone, Moved, ZoneObject } from "./zone-contents";

/** An object that a plan leaves in a zone. It has no id while nobody has created it. */
type Left = Pick<ZoneObject, "kind" | "fields"> & { readonly id?: string | undefined };

/**
 * Whether an approved plan, cut off or overtaken, explains an object that has moved: it is there as the plan leaves it, or the
 * plan leaves nothing of it. Then there is only less to do.
 */
export function isAsPlanned({ kind, id, approved, live }: Moved, left: readonly Left[]): boolean {
  const same = left.filter((one) => one.kind === kind);
  switch (kind) {
    case "policy":
    case "rule":
      if (live) return same.some((one) => isSame(one, live));
      return !same.some((one) => one.id === id || (approved && isSame(one, approved)));
    case "settings":
      return changedFields(kind, approved?.fields, live?.fields).every((name) =>
        same.some(({ fields }) => fields[name] !== undefined && fields[name] === live?.fields[name]),
      );
    case "entrypoint": {
      // Rules that are new or gone have moved themselves. The others are in their order.
      const [was, now] = [approved, live].map((one) => listIn(one?.fields["order"]));
      const name = live?.fields["name"];
      return (
        isDeepStrictEqual(
          was?.filter((one) => now?.includes(one)),
          now?.filter((one) => was?.includes(one)),
        ) && [approved, ...same].some((one) => one?.fields["name"] === name)
      );
    }
    case "migration":
      return false;
  }
}

function isSame({ kind, fields }: Left, other: Left): boolean {
  if (kind !== "rule") return changedFields(kind, fields, other.fields).length === 0;
  const [one, another] = rulesIn([fields, other.fields]);
  return one !== undefined && another !== undefined && isSameRule(one, another);
}

/** What a plan leaves in a zone that it finds like this. */
export function leftBy({ zoneId, objects }: ApprovedZone, steps: readonly ApprovedStep[]): readonly Left[] {
  const effects = steps.flatMap((step) => {
    const kind = kindOf(step.type);
    const isHere = [step.after?.["zoneId"], step.id].some((one) => zoneIdIn(one) === zoneId);
    return isHere && isKindName(kind) ? [effectOf(zoneId, step, kinds[kind]().inZone)] : [];
  });
  const untouched = objects.filter(
    ({ kind, id }) =>
      kind !== "entrypoint" && !effects.some((one) => one.kind === kind && (one.takesAll || one.ids.has(id))),
  );
  return [...untouched, ...effects.flatMap(({ left }) => left)];
}

interface Effect {
  readonly kind: ZoneObject["kind"];
  /** Of the objects that the step changes or deletes. */
  readonly ids: ReadonlySet<string>;
  readonly takesAll: boolean;
  readonly left: readonly Left[];
}

function effectOf(
  zoneId: string,
  { id = "", op, before = {}, after: given, recorded = {} }: ApprovedStep,
  { object: kind, policies }: ReturnType<(typeof kinds)["CspPolicy"]>["inZone"],
): Effect {
  // What moves to another zone is a deletion here.
  const after = zoneIdIn(given?.["zoneId"]) === zoneId ? given : undefined;
  const onDestroy = after && op !== "replace" ? undefined : (before["onDestroy"] ?? "restore");
  const initial = onDestroy === "restore" ? recordIn(recorded["initial"]) : {};
  const takesAll = after?.["others"] === "delete" || after?.["foreignRules"] === "overwrite";
  const effect = (ids: Iterable<string>, left: readonly Left[]): Effect => ({
    ...{ kind, takesAll, ids: new Set(onDestroy === "keep" ? [] : ids), left },
  });
  if (kind === "settings") {
    const isOff = onDestroy === "disable" ? { enabled: false } : {};
    const restored = Object.entries(initial).filter(([name]) => before[name] !== undefined);
    return effect([], [{ kind, fields: { ...Object.fromEntries(restored), ...isOff, ...after } }]);
  }
  if (kind === "rule") {
    const own = listIn(recorded["rules"]).flatMap((one) => String(recordIn(one)["id"]));
    const rules = listIn(after ? after["rules"] : initial["rules"]);
    const names = [{ kind: "entrypoint", fields: { name: (after ?? initial)["name"] } } as const];
    return effect(own, [...rules.map((fields) => ({ kind, fields: recordIn(fields) })), ...names]);
  }
  const ownIds = recordIn(recorded["policyIds"]);
  const released = listIn(after?.["release"]).map((key) => ownIds[String(key)]);
  const owned = policies?.(id, before, { policyIds: ownIds }) ?? [];
  // Nobody knows which policies an unknown value leaves.
  const isOpen = after?.["policies"] !== undefined && typeof after["policies"] !== "object";
  const ids = owned.map(({ policyId }) => policyId).filter((one) => !isOpen && !released.includes(one));
  const keys = Object.keys(recordIn(after?.["policies"]));
  const idOf = new Map(owned.map(({ path, policyId }) => [path, policyId]));
  const declared = policies?.(id, after ?? {}, {
    policyIds: Object.fromEntries(keys.map((key) => [key, ""])),
  });
  const left = (after ? (declared ?? []) : []).map(({ path, args }): Left => {
    const { description, action, expression, enabled = true } = args;
    const own = onDestroy === undefined ? idOf.get(path) : undefined;
    return { kind, id: own, fields: { description, action, expression, enabled, value: textOf(args) } };
  });
  return effect(ids, left);
}

function textOf(policy: ZoneObject["fields"]): unknown {
  try {
    return declaredText(policy);
  } catch {
    // Directives that no text can express, or that the preview did not know.
    return undefined;
  }
}

/** Rules as a program or an approval has them; others are left out. */
export function rulesIn(rules: unknown) {
  return listIn(rules).flatMap((rule) => {
    const known = anyWafRule.safeParse(rule);
    return known.success ? [toRule(known.data)] : [];
  });
}
