import { z } from "zod";
import type { ApprovedStep } from "../../lifecycle/approval/approved-file";
import { changedFields, isSameField, type Moved } from "../../lifecycle/approval/moved";
import { typePrefix } from "../../lifecycle/type-prefix";
import { bodyOf } from "../../resources/csp-policy/declared-policy";
import { toRule, wafRuleInput } from "../../resources/waf-rule/rule-input";
import { isSameRule } from "../../resources/waf-rule/rule-match";

const policySchema = z.looseObject({
  description: z.string().optional(),
  action: z.string(),
  expression: z.string(),
  enabled: z.boolean().optional(),
  value: z.string().optional(),
  directives: z.record(z.string(), z.array(z.string())).optional(),
});

/**
 * Whether what has moved in a zone is what the approved plan would have made there itself: then there is less to do, and
 * nothing else. What is held as a digest cannot be told to be so.
 */
export function isAsPlanned(moved: Moved, all: readonly Moved[], steps: readonly ApprovedStep[]): boolean {
  if (moved.isClosed) return false;
  const here = steps.filter(({ after, id }) => zoneIn(after?.["zoneId"] ?? id) === moved.zoneId);
  const of = (kind: string): ApprovedStep[] => here.filter(({ type }) => type === `${typePrefix}${kind}`);
  switch (moved.kind) {
    case "settings": {
      const [planned] = of("PageGuardSettings");
      return changedFields(moved).every(
        (name) => planned?.after?.[name] !== undefined && planned.after[name] === moved.live?.[name],
      );
    }
    case "policy":
      if (moved.what === "gone") {
        return of("CspPolicy").some(({ op, id }) => op === "delete" && id?.endsWith(`/${moved.id}`));
      }
      return [...of("CspPolicy").map(({ after }) => after), ...of("CspPolicySet").flatMap(entriesOf)].some(
        (declared) => isPolicy(declared, moved),
      );
    case "rule": {
      const { rule } = moved;
      if (!rule) return false;
      return declaredRules(of("ManagedWafEntrypoint")).some((declared) => isSameRule(declared, rule));
    }
    case "entrypoint":
      return isListAsPlanned(moved, all, of("ManagedWafEntrypoint"));
    case "migration":
      return false;
  }
}

function isPolicy(declared: unknown, { live = {} }: Moved): boolean {
  const known = policySchema.safeParse(declared);
  if (!known.success) return false;
  const { description = "", ...others } = known.data;
  const body = bodyOf({ ...others, description });
  return Object.entries(body).every(([name, value]) => isSameField(name, value, live[name]));
}

/** Policies of a set, which are described by their keys where by nothing else. */
function entriesOf({ after }: ApprovedStep): unknown[] {
  const policies = after?.["policies"];
  if (typeof policies !== "object" || policies === null) return [];
  return Object.entries(policies).map(([description, entry]) => ({ description, ...Object(entry) }));
}

function declaredRules(steps: readonly ApprovedStep[]) {
  return steps.flatMap(({ after }) => {
    const rules = after?.["rules"];
    return Array.isArray(rules)
      ? rules.flatMap((rule: unknown) => {
          const known = wafRuleInput.safeParse(rule);
          return known.success ? [toRule(known.data)] : [];
        })
      : [];
  });
}

/** Rules that are as planned have come; the others stand in their old order, under the old or the declared name. */
function isListAsPlanned(
  { approved = {}, live = {} }: Moved,
  all: readonly Moved[],
  steps: readonly ApprovedStep[],
): boolean {
  const isNamed =
    approved["name"] === live["name"] || steps.some(({ after }) => after?.["name"] === live["name"]);
  const come = new Set(
    all.flatMap((moved) =>
      moved.kind === "rule" && moved.what === "new" && isAsPlanned(moved, all, steps) ? [moved.id] : [],
    ),
  );
  const order = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);
  const others = order(live["order"]).filter((id) => !come.has(String(id)));
  return isNamed && JSON.stringify(others) === JSON.stringify(order(approved["order"]));
}

function zoneIn(id: unknown): string | undefined {
  return typeof id === "string" ? id.split("/", 1)[0]?.toLowerCase() : undefined;
}
