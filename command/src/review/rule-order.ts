import { isDeepStrictEqual } from "node:util";
import { clean, enumerate, parseRules, type Rule, toObjectType } from "pulumi-page-guard/tools";
import type { ReviewDifference } from "../documents/review/review";
import { asPlainJson } from "../preview/preview-read";
import { shortRuleLabel } from "../shared/labels";
import type { Step } from "./zone-effects";

/** Returns the order of the rules of an entry point, before and after; undefined if the rules that stay keep their order. */
export function orderDifference({ kind, before, after }: Step): ReviewDifference | undefined {
  if (toObjectType(kind) !== "rule") return undefined;
  const [was = [], becomes = []] = [before, after].map((side) =>
    parseRules(asPlainJson(side?.["rules"])).map(labelRule),
  );
  const old = was.filter((one) => becomes.includes(one));
  const now = becomes.filter((one) => was.includes(one));
  if (isDeepStrictEqual(old, now)) return undefined;
  const [left, right] = [was, becomes].map((all) => enumerate(all, { most: 50, separator: ", " }));
  return { path: "order of rules", before: left, after: right };
}

function labelRule(rule: Rule): string {
  return clean(rule.description || !rule.ref ? shortRuleLabel(rule) : rule.ref, { max: 120 });
}
