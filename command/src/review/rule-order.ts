import { isDeepStrictEqual } from "node:util";
import { listed, objectOf, type Rule, rulesIn, shown } from "pulumi-page-guard/tools";
import { asPlainJson } from "../preview/preview-read";
import type { ReviewDifference } from "../reports/review/review";
import type { Step } from "./objects";

/** Returns the order of the rules of an entry point, before and after; undefined if the rules that stay keep their order. */
export function orderDifference({ kind, before, after }: Step): ReviewDifference | undefined {
  if (objectOf(kind) !== "rule") return undefined;
  const [was = [], becomes = []] = [before, after].map((side) =>
    rulesIn(asPlainJson(side?.["rules"])).map(labelOf),
  );
  const old = was.filter((one) => becomes.includes(one));
  const now = becomes.filter((one) => was.includes(one));
  if (isDeepStrictEqual(old, now)) return undefined;
  const [left, right] = [was, becomes].map((all) => listed(all, { most: 50, separator: ", " }));
  return { path: "order of rules", before: left, after: right };
}

function labelOf({ description, ref, action, expression }: Rule): string {
  if (description) return `"${shown(description, { max: 80 })}"`;
  return ref ? shown(ref, { max: 80 }) : `${shown(action, { max: 40 })} if ${shown(expression, { max: 80 })}`;
}
