import { matches, parse, selects } from "page-guard-csp";
import { enumerate, type Policy } from "pulumi-page-guard/tools";
import { isEnforced } from "../shared/is-enforced";

type Facts = Pick<Policy, "enabled" | "action" | "expression" | "value">;

/** Placeholder for a value that the stack keeps secret. A policy whose text is secret counts as restricting scripts. */
export const secret = "[secret]";

/** Whether a policy's text is too open for payment pages: it allows scripts from anywhere, or does not restrict scripts. */
export function opensScripts(value: string): boolean {
  const urls = ["https://anyone.invalid/x.js", "data:text/javascript,1"];
  return (
    value !== secret &&
    urls.some((url) => matches(value, { kind: "script", url, pageUrl: "https://page.invalid/" }))
  );
}

function restrictsScripts({ value }: Facts): boolean {
  const isOf = /^(?:script-src(?:-elem)?|default-src)$/i;
  return value === secret || parse(value).directives.some(({ name }) => isOf.test(name));
}

/**
 * Checks the enforced policies that restrict scripts. `isNothingEnforced` says that there is no such policy. `uncovered` contains
 * the payment pages that no such policy covers, and `anywhere` contains the policies that allow any script.
 */
export function policyGaps<T extends Facts>(policies: readonly T[], paymentPages: readonly string[]) {
  const enforced = policies.filter((one) => isEnforced(one) && restrictsScripts(one));
  const uncovered = paymentPages.filter(
    (page) => !enforced.some(({ expression }) => selects(expression, page.replace(/\*$/, "")) !== false),
  );
  return {
    isNothingEnforced: enforced.length === 0,
    uncovered,
    anywhere: enforced.filter(({ value }) => opensScripts(value)),
  };
}

export function uncoveredText(pages: readonly string[]): string {
  return `No enforced policy covers ${enumerate(pages, { most: 3 })}, so nothing keeps scripts out of these pages.`;
}
