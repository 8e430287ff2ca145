import { type HostSelection, selects } from "page-guard-csp";
import { listPageForms, parseUrl } from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { UsageError } from "../shared/usage-error";

export interface SelectionFlags {
  readonly host?: readonly string[];
  readonly page?: readonly string[];
  readonly expression?: string | undefined;
}

/** Returns the filters for the service's lists. They ignore the query of a page, because expressions do not test queries. */
export function makeFilters({ host, page }: SelectionFlags) {
  const patterns = page?.map(readPlainPage).flatMap(({ pattern }) => listPageForms(pattern));
  return { hosts: host, ...(patterns && { pageUrl: patterns }) };
}

/** Converts the values of `--page` to the patterns that the lists of the service accept. @throws UsageError */
export function toPatterns(pages: readonly string[] = []): readonly string[] {
  return pages.map((page) => readPage(page).pattern);
}

/** Returns the URL of a page in the spelling of browsers. The URL may end with `*`. Returns undefined for any other text. */
export function spellPage(text: string): string | undefined {
  const [, start = "", star = ""] = /^(https?:\/\/[^\s#*,"\\]+)(\*?)$/i.exec(text) ?? [];
  const url = parseUrl(start);
  if (!url) return undefined;
  // A `*` may continue the host: `https://shop.*`.
  const isInHost = star !== "" && start.split("/").length === 3;
  return (isInHost ? url.origin : url.href) + star;
}

/** Returns a function that tests whether the flags might select a page. */
export function selectsPage(flags: SelectionFlags): (pageUrl: string) => boolean {
  const tests = [flags.expression ?? "true", makeExpression({ ...flags, expression: undefined })];
  return (pageUrl) =>
    parseUrl(pageUrl) !== undefined && tests.every((test) => selects(test, pageUrl) !== false);
}

/** Returns a remark if the expression alone does not show which pages the policy selects. */
export function remarkOnHosts(hosts: HostSelection | undefined): string | undefined {
  if (hosts === undefined) return undefined;
  if (!hosts.decided)
    return `The expression alone does not show which hosts it selects (${forTerminal(hosts.reason)}), so the whole zone was used. Name hosts with --host, or pages with --page.`;
  return hosts.isSuperset
    ? "The expression may select only some of the pages on its hosts. To use only those pages, name them with --page."
    : undefined;
}

export function makeExpression({ host = [], page = [], expression }: SelectionFlags): string {
  if (expression !== undefined) return expression;
  const parts = [hostTests(host), page.map(pageTest)].filter(({ length }) => length > 0);
  const joined = parts.map((tests) =>
    tests.length < 2
      ? tests.join()
      : tests.map((test) => (test.includes(" and ") ? `(${test})` : test)).join(" or "),
  );
  return joined.length < 2 ? joined.join() || "true" : joined.map((part) => `(${part})`).join(" and ");
}

function hostTests(hosts: readonly string[]): readonly string[] {
  if (!hosts.every((host) => /^(\*\.)?[\w.-]+$/.test(host)))
    throw new UsageError(
      "Could not build an expression for these hosts: expected host names such as shop.example.com or *.example.com. For anything else, pass an expression with --expression.",
    );
  const [only, ...more] = hosts.filter((host) => !host.startsWith("*")).map((host) => `"${host}"`);
  const ends = hosts.filter((host) => host.startsWith("*"));
  const named = more.length > 0 ? `http.host in {${[only, ...more].join(" ")}}` : `http.host eq ${only}`;
  return [
    ...(only === undefined ? [] : [named]),
    ...ends.map((host) => `ends_with(http.host, "${host.slice(1)}")`),
  ];
}

function pageTest(text: string): string {
  const { host, path, isPrefix } = readPlainPage(text);
  const test = `http.host eq "${host}"`;
  if (path === "/" && isPrefix) return test;
  return isPrefix
    ? `${test} and starts_with(http.request.uri.path, "${path}")`
    : `${test} and http.request.uri.path eq "${path}"`;
}

/** Parses a value of `--page` for an expression, which tests only the host and the path. */
function readPlainPage(text: string) {
  const page = readPage(text);
  if (page.isPlain) return page;
  throw new UsageError(
    `--page takes a URL without a port, a query or a fragment, because an expression tests only the host and the path; got ${forTerminal(text)}.`,
  );
}

/**
 * Parses a value of `--page`. Refuses commas, at which the service would split the pattern, and fragments, which the service
 * never lists. Refuses `*` anywhere but at the end, although the service also accepts it at the beginning.
 */
function readPage(text: string) {
  const pattern = spellPage(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  const isPrefix = text.endsWith("*");
  const start = isPrefix ? text.slice(0, -1) : text;
  const url = parseUrl(pattern?.replace("*", "") ?? "");
  const wish = start.includes("*")
    ? "the URL of a page, with * only at its end"
    : /[,#]/.test(start)
      ? "a URL without a comma or a fragment (#)"
      : "the URL of a page";
  if (pattern === undefined || url === undefined)
    throw new UsageError(`--page takes ${wish}; got ${forTerminal(text)}.`);
  const isPlain = url.port === "" && !/[?#]/.test(start);
  return { pattern, host: url.hostname, path: url.pathname, isPrefix, isPlain };
}
