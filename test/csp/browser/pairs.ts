import fc from "fast-check";
import type { PolicyRequest } from "../../../csp/src";
import { words } from "../random";

/** A page with its policy and its requests. */
export interface PageCase {
  readonly policy: string;
  readonly pageUrl: string;
  readonly requests: readonly Pick<PolicyRequest, "kind" | "url">[];
}

/** Few hosts, so that policies often name the hosts of URLs. */
const HOSTS = words(
  `a.example b.a.example c.b.a.example xa.example other.test xn--bcher-kva.example 127.0.0.1 10.1.2.3 localhost
  plain.example tls.example`,
);
/** Pages on a port that is the default of the other scheme. */
const ODD_PAGES = ["http://plain.example:443", "https://tls.example:80"];
const PAGE_HOSTS = ["a.example", "b.a.example", "other.test", "127.0.0.1", "10.1.2.3"];

/** Spellings of a path, for policies and for URLs, so that each pair of spellings occurs. */
const PATHS = words(
  `/ /js /js/ /JS/ /js/app.js /js/app.js/ /js//app.js /js/%61pp.js /js%2Fapp.js /js%2fapp.js /js%2F /js/a%2Fb.js
  /js/a%20b.js /js/a+b.js /js/%C3%A9.js /js/%c3%a9.js /js/%E9.js /js/%F0%9F%98%80 /js/% /js/%25 /js/%zz
  /js/a%3Bb%2Cc /js/../js/app.js /j`,
);

const HASH = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
const ODD_SOURCES = words(
  `a_b.example *.*.example a.*.example *a.example *. ** a..example .a.example a.example. *.a.example.
  https:/a.example //a.example a.example: a.example:x a.example:080 a.example:99999 a.example:99999999999
  [::1] http://[::1]:8080 user@a.example a.example?x a.example/js/?x=1 a.example/js/app.js?x=1
  a.example/js/#top script-src self none 'self self' 'unknown' 1http://a.example h+t-t.p: about:
  filesystem: mailto: ftp: ftp://a.example 'nonce-abc' 'sha256-${HASH}' 'unsafe-inline' 'report-sample'
  'unsafe-hashes' 'url-sha256-${HASH}' 'eval-sha256-${HASH}' 'strict-dynamic-url' 'report-sha256'
  'trusted-types-eval' 'wasm-unsafe-eval'`,
);

const choose = (...values: readonly string[]) => fc.constantFrom(...values);
const weighted = <T>(...parts: readonly (readonly [number, fc.Arbitrary<T>])[]) =>
  fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Changes the case of letters, which matters only in paths. */
const anyCase = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, weighted([4, fc.constant(false)], [1, fc.constant(true)]))
    .map(([value, isUpper]) => (isUpper ? value.toUpperCase() : value));

const hostPart = anyCase(
  weighted(
    [6, choose(...HOSTS)],
    [3, choose(...HOSTS.slice(0, 6)).map((host) => `*.${host}`)],
    [1, choose("*", "*.example", "*.test", "*.0.0.1")],
  ),
);

const hostSource = fc
  .tuple(
    anyCase(weighted([5, fc.constant("")], [6, choose("http://", "https://", "ws://", "wss://")])),
    hostPart,
    weighted([6, fc.constant("")], [5, choose(":80", ":443", ":8080", ":8443", ":*")]),
    weighted([5, fc.constant("")], [4, choose(...PATHS)]),
  )
  .map((parts) => parts.join(""));

const source = weighted(
  [12, hostSource],
  [3, anyCase(choose("'self'"))],
  [1, choose("*")],
  [2, anyCase(choose("http:", "https:", "ws:", "wss:", "data:", "blob:"))],
  [1, anyCase(choose("'none'", "'strict-dynamic'"))],
  [3, choose(...ODD_SOURCES)],
);

const directiveName = weighted(
  [5, choose("script-src", "connect-src", "default-src")],
  [1, choose("script-src-elem", "img-src")],
);
const directive = fc
  .tuple(
    anyCase(directiveName),
    weighted([20, fc.array(source, { maxLength: 5 })], [1, fc.constant<string[]>(["'none'"])]),
  )
  .map(([name, sources]) => [name, ...sources].join(" "));

const ignored = [["bad_name a.example"], ["script-src b\u00fc.example"], ["connect-src a\u00e9", "sandboxx"]];
const policy = fc
  .tuple(
    fc.array(directive, { minLength: 1, maxLength: 4 }),
    weighted(
      [20, fc.constant<string[]>([])],
      [2, fc.constant<string[]>(["upgrade-insecure-requests"])],
      [1, fc.constantFrom(...ignored)],
    ),
    weighted([12, fc.constant("; ")], [1, choose(";", " ;\t ", ";;")], [1, fc.constant(", ")]),
    fc.boolean(),
  )
  .map(([directives, extra, separator, isFirst]) =>
    (isFirst ? [...extra, ...directives] : [...directives, ...extra]).join(separator),
  );

const pageUrl = weighted(
  [6, fc.tuple(choose("http://", "https://"), choose(...PAGE_HOSTS)).map((parts) => parts.join(""))],
  [1, choose(...PAGE_HOSTS).map((host) => `http://${host}:8080`)],
  [1, choose(...PAGE_HOSTS).map((host) => `https://${host}:8443`)],
  [1, choose(...ODD_PAGES)],
);

const networkUrl = (schemes: readonly string[]) =>
  fc
    .tuple(
      choose(...schemes),
      weighted([12, choose(...HOSTS)], [1, choose("[::1]", "a.example.")]),
      weighted([6, fc.constant("")], [3, choose(":80", ":443", ":8080", ":8443")]),
      choose(...PATHS),
    )
    .map(([scheme, host, port, path]) => `${scheme}://${host}${port}${path}`);

const requests = (schemes: readonly string[], count: number) =>
  fc.array(networkUrl(schemes), { minLength: count, maxLength: count });
const scriptRequests = requests(["http", "https"], 9);
const connectionRequests = requests(["http", "https"], 9);
const socketRequests = requests(["ws", "wss"], 2);

/** The page's own host with each scheme and each default port, for `'self'`. */
const ownUrl = (schemes: readonly string[]) =>
  fc.tuple(choose(...schemes), choose("", "", ":80", ":443", ":8080")).map(
    ([scheme, port]) =>
      (page: string) =>
        `${scheme}://${new URL(page).hostname}${port}/`,
  );
const ownRequests = fc.tuple(ownUrl(["http", "https"]), ownUrl(["http", "https"]), ownUrl(["ws", "wss"]));

/** Blob URLs of the page. The browser refuses those of other origins before it checks the policy. */
const localUrls = (page: string) => [
  "data:text/javascript,0",
  `blob:${page}/5dbe0c0f-0000-4000-8000-000000000000`,
];

/** 27 requests on each page. */
export const REQUESTS_A_PAGE = 27;

export const pageCase: fc.Arbitrary<PageCase> = fc
  .tuple(policy, pageUrl, scriptRequests, connectionRequests, socketRequests, ownRequests)
  .map(([text, page, scripts, connections, sockets, [ownScript, ownConnection, ownSocket]]) => {
    const all = [...connections, ownConnection(page), ...sockets, ownSocket(page), ...localUrls(page)];
    const requests = [
      ...[...scripts, ownScript(page), ...localUrls(page)].map((url) => ({ kind: "script" as const, url })),
      ...all.map((url) => ({ kind: "connection" as const, url })),
    ];
    return { policy: text, pageUrl: page, requests };
  });
