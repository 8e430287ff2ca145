import { type HostSelection, hostsOf, hostTest } from "page-guard-csp";
import { type ListQuery, parseUrl } from "pulumi-page-guard/tools";
import { forTerminal } from "../reports/escape";
import { UsageError } from "../usage-error";

export interface SelectionFlags {
  readonly host?: readonly string[];
  readonly page?: readonly string[];
  readonly expression?: string;
}

export function filtersOf({ host, page }: SelectionFlags): ListQuery {
  return { hosts: host, ...(page && { pageUrl: patternsOf(page) }) };
}

/** As the lists take the pages of `--page`. @throws UsageError */
export function patternsOf(pages: readonly string[] = []): readonly string[] {
  return pages.map((page) => readPage(page).pattern);
}

/** Whether the flags select a page, as the service would. */
export function selectsPage({ host, page, expression }: SelectionFlags): (pageUrl: string) => boolean {
  const ofExpression = hostsOf(expression ?? "true");
  const isOnHosts = ofExpression.decided ? hostTest(ofExpression) : () => true;
  const isGiven = hostTest({
    hosts: host?.filter((one) => !one.startsWith("*")) ?? [],
    suffixes: host?.filter((one) => one.startsWith("*")).map((one) => one.slice(1)) ?? [],
  });
  const pages = page?.map(readPage);
  return (pageUrl) => {
    const url = parseUrl(pageUrl);
    if (url === undefined || !isOnHosts(url.hostname)) return false;
    if (host !== undefined && !isGiven(url.hostname)) return false;
    const isPage = ({ host: name, path, isPrefix }: ReturnType<typeof readPage>) =>
      name === url.hostname && (isPrefix ? url.pathname.startsWith(path) : url.pathname === path);
    return pages === undefined || pages.some(isPage);
  };
}

/** The hosts of the expression, if there is one. */
export function hostsOfFlags({ expression }: SelectionFlags): HostSelection | undefined {
  return expression === undefined ? undefined : hostsOf(expression);
}

/** Remarks on expressions that do not decide which pages the policy selects. */
export function remarkOnHosts(hosts: HostSelection | undefined): readonly string[] {
  if (hosts === undefined) return [];
  if (!hosts.decided)
    return [
      `The expression does not decide its hosts (${forTerminal(hosts.reason)}), so the whole zone was used. Name hosts with --host, or pages with --page.`,
    ];
  return hosts.isSuperset
    ? ["The expression may select only some pages of these hosts. Name them with --page."]
    : [];
}

export function expressionOf({ host = [], page = [], expression }: SelectionFlags): string {
  if (expression !== undefined) return expression;
  const parts = [anyOf(hostTests(host)), anyOf(page.map(pageTest))].filter((part) => part !== "");
  if (parts.length === 0) return "true";
  return parts.length === 1 ? parts.join() : parts.map((part) => `(${part})`).join(" and ");
}

function anyOf(tests: readonly string[]): string {
  return tests.length < 2
    ? tests.join()
    : tests.map((test) => (test.includes(" and ") ? `(${test})` : test)).join(" or ");
}

function hostTests(hosts: readonly string[]): readonly string[] {
  const plain = hosts.filter((host) => /^[\w.-]+$/.test(host));
  const ends = hosts.filter((host) => /^\*\.[\w.-]+$/.test(host)).map((host) => host.slice(1));
  if (plain.length + ends.length < hosts.length)
    throw new UsageError(
      "--as set cannot write an expression for these hosts: expected names, or *. and a name. Give the expression with --expression.",
    );
  const [only] = plain;
  return [
    ...(plain.length > 1 ? [`http.host in {${plain.map((host) => `"${host}"`).join(" ")}}`] : []),
    ...(plain.length === 1 ? [`http.host eq "${only}"`] : []),
    ...ends.map((end) => `ends_with(http.host, "${end}")`),
  ];
}

function pageTest(text: string): string {
  const { host, path, isPrefix } = readPage(text);
  const test = `http.host eq "${host}"`;
  if (path === "/" && isPrefix) return test;
  return isPrefix
    ? `${test} and starts_with(http.request.uri.path, "${path}")`
    : `${test} and http.request.uri.path eq "${path}"`;
}

/** `pattern` is for the service, which takes a comma-separated list of URLs, with `*` at their ends. */
function readPage(text: string) {
  const whole = /^https?:\/\//.test(text) ? text : `https://${text}`;
  const isPrefix = whole.endsWith("*");
  const start = isPrefix ? whole.slice(0, -1) : whole;
  if (start.includes("*"))
    throw new UsageError(`--page takes the URL of a page, with * only at its end; got ${forTerminal(text)}.`);
  if (start.includes(","))
    throw new UsageError(`--page takes a URL without a comma; got ${forTerminal(text)}.`);
  const url = parseUrl(start);
  if (url === undefined || /["\\]/.test(start))
    throw new UsageError(`--page takes the URL of a page; got ${forTerminal(text)}.`);
  return { pattern: whole, host: url.hostname, path: url.pathname, isPrefix };
}
