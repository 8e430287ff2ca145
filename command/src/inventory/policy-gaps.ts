import { parse, selects } from "page-guard-csp";
import { listed, type Policy } from "pulumi-page-guard/tools";
import { isEnforced } from "./seen-script";

type Facts = Pick<Policy, "enabled" | "action" | "expression" | "value">;

/** Whether a policy's text allows scripts from anywhere, which it must not on a payment page. */
export function opensScripts(value: string): boolean {
  const sources = new Map(parse(value).directives.map((one) => [one.name.toLowerCase(), one.values]));
  const own = ["script-src-elem", "script-src", "default-src"].map((name) => sources.get(name));
  const [values = []] = own.filter((one) => one !== undefined);
  return !values.includes("'strict-dynamic'") && values.some((one) => /^(?:\*|https?:|data:)$/i.test(one));
}

/** Returns the gaps of enforced policies: payment pages that none of them covers, and scripts from anywhere. */
export function policyGaps<T extends Facts>(policies: readonly T[], paymentPages: readonly string[]) {
  const enforced = policies.filter(isEnforced);
  const open = paymentPages.filter(
    (page) => !enforced.some(({ expression }) => selects(expression, page.replace(/\*$/, "")) !== false),
  );
  return {
    isNothingEnforced: enforced.length === 0,
    open,
    anywhere: enforced.filter((one) => opensScripts(one.value)),
  };
}

/** Completes a sentence about pages that no enforced policy covers. */
export function uncovered(open: readonly string[]): string {
  return `No enforced policy covers ${listed(open, { most: 3 })}: nothing keeps a script out there.`;
}
