import { hostsOf, impact, render, renderLetIn, type SeenItem } from "../../../csp/src";
import { blockedData, letInData } from "../../../provider/src/resources/csp-policy/impact";
import { connection, script } from "../../csp/items";

const everywhere = { hosts: hostsOf("true") };

export const scripts = (...items: Parameters<typeof script>[0][]): SeenItem[] =>
  items.map((fields) => ({ kind: "script", item: script(fields) }));

export const connections = (...items: Parameters<typeof connection>[0][]): SeenItem[] =>
  items.map((fields) => ({ kind: "connection", item: connection(fields) }));

/** What the provider process says of what a policy blocks: the message and its data. */
export function blocking(policy: string, items: readonly SeenItem[]) {
  const found = impact(policy, items, everywhere);
  return {
    code: "csp-blocks-in-use",
    text: `with action "allow" this policy ${render(found).join("\n")}\nAllow what is needed, or leave action at "log".`,
    data: { ...blockedData(found) },
  };
}

/** The same of what is malicious and let in. */
export function lettingIn(policy: string, items: readonly SeenItem[]) {
  const found = impact(policy, items, everywhere);
  return {
    code: "csp-lets-malicious-in",
    text: `with action "allow" this policy ${renderLetIn(found).join("\n")}\nTake it off the pages.`,
    data: { ...letInData(found.letsIn) },
  };
}
