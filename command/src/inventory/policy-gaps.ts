import { findUnselected, matches, parse } from "page-guard-csp";
import { clean, engineMarks, enumerate, isEnforced, type Policy } from "pulumi-page-guard/tools";
import { nameFew, sortDistinct } from "./seen-script";

interface NamedPolicy extends Pick<Policy, "enabled" | "action" | "expression" | "value"> {
  readonly name: string;
}

/** Mark in place of a policy text that the stack keeps secret. Such a policy is assumed to restrict scripts. */
const { secretText } = engineMarks;

/** Whether a policy's text is too open for payment pages: it allows scripts from anywhere, or does not restrict scripts. */
export function opensScripts(value: string): boolean {
  // For each source that allows any host, such as `https://*/js/`, also test a URL with the port and path of this source.
  const ofAnyHost = [
    ...value.matchAll(/(?<![^\s,;])(?:https?:\/\/)?\*(:\d+)?(?::\*)?(\/[^\s,;]*)?(?![^\s,;])/gi),
  ];
  const urls = [
    "https://anyone.invalid/x.js",
    "data:text/javascript,1",
    ...ofAnyHost.map(([, port = "", path = "/"]) => `https://anyone.invalid${port}${path}`),
  ];
  return (
    value !== secretText &&
    urls.some((url) => matches(value, { kind: "script", url, pageUrl: "https://page.invalid/" }))
  );
}

function restrictsScripts({ value }: NamedPolicy): boolean {
  const isOf = /^(?:script-src(?:-elem)?|default-src)$/i;
  return (
    value === secretText ||
    value.split(",").some((one) => parse(one).directives.some(({ name }) => isOf.test(name)))
  );
}

/**
 * Yields the ways in which the policies of a zone fail to keep scripts out, each with a text and a title. `nothing-enforced`: no
 * enforced policy restricts scripts, either on any page or on at least one payment page. `policy-open`: an enforced policy allows
 * any script.
 *
 * @param expected Names of the policies that the inventory expects to be enforced.
 */
export function* findPolicyGaps(
  policies: readonly NamedPolicy[],
  pages: readonly string[],
  expected: readonly string[] = [],
) {
  const enforced = policies.filter(isEnforced);
  const restricting = enforced.filter(restrictsScripts);
  const expressions = restricting.map(({ expression }) => expression);
  const uncovered = pages.filter((page) => findUnselected(expressions, page) !== undefined);
  const isNone = restricting.length === 0;
  const what = enforced.length > 0 ? "No enforced policy restricts scripts" : "No policy is enforced";
  const fact = isNone ? what : `No enforced policy covers ${nameFew(uncovered)}`;
  const effect = isNone ? "so nothing keeps scripts out" : "so nothing keeps scripts out there";
  const off = describeUnenforced(enforced, expected, isNone ? policies : []);
  const offText = off === undefined ? "" : ` ${off.replace(/^p/, "P")}.`;
  const title = off ?? fact.replace(/^N/, "n").replace(/https?:\/\//g, "");
  if (isNone || uncovered.length > 0)
    yield { gap: "nothing-enforced", text: `${fact}, ${effect}.${offText}`, title } as const;
  for (const { name } of restricting.filter(({ value }) => opensScripts(value))) {
    const open = `The enforced policy "${clean(name)}" allows scripts from anywhere. Name the hosts that the pages need.`;
    yield { gap: "policy-open", text: open, title: `policy "${clean(name)}" allows any script` } as const;
  }
}

/** Returns a phrase that names the expected policies that are not enforced or, if all are enforced, such policies in `others`. */
function describeUnenforced(
  enforced: readonly NamedPolicy[],
  expected: readonly string[],
  others: readonly NamedPolicy[],
) {
  const isOff = (name: string) => !enforced.some((one) => one.name === name);
  const lost = expected.filter(isOff);
  const off = lost.length > 0 ? lost : others.map(({ name }) => name).filter(isOff);
  const names = sortDistinct(off).map((name) => `"${clean(name, { max: 60 })}"`);
  if (names.length === 0) return undefined;
  const which = names.length === 1 ? "policy" : "policies";
  const verb = names.length === 1 ? "is" : "are";
  const no = lost.length > 0 ? "no longer" : "not";
  return `${which} ${enumerate(names, { most: 3, separator: ", " })} ${verb} ${no} enforced`;
}
