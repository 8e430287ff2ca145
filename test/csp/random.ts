import fc from "fast-check";
import { seed } from "../support/random-runs";

const runs = process.env["RUNS"] === undefined ? undefined : Number(process.env["RUNS"]);

/** Checks a property with a seed, and prints the seed. */
export function holds<Ts extends [unknown, ...unknown[]]>(property: fc.IPropertyWithHooks<Ts>, most = 300) {
  console.log(`      SEED=${seed}`);
  fc.assert(property, { seed, numRuns: runs ?? most });
}

/** Splits a list of words at its white space. */
export const words = (text: string): string[] => text.trim().split(/\s+/);

const choose = (...values: readonly string[]) => fc.constantFrom(...values);
const chooseWord = (text: string) => choose(...words(text));

const NAMES = ["script-src", "connect-src", "default-src", "img-src", "script-src-elem", "object-src"];

/** Few hosts, ports and paths, so that sources often match URLs. */
export const HOSTS = ["a.example", "b.a.example", "c.b.a.example", "other.test", "10.1.2.3"];
const PORTS = ["", "", ":80", ":443", ":8080"];
const PATHS = [
  "",
  ...words("/ /js/ /js/app.js /js/%61pp.js /js/%2541 /js/A /js/%41 /js/a%3Fb /js%2F /js%2fapp.js"),
];

const hostSource = fc
  .tuple(
    choose("", "", "http://", "https://", "ws://", "wss://"),
    fc.oneof(choose(...HOSTS), choose("*.a.example", "*.b.a.example", "*", "*.example")),
    fc.oneof(choose(...PORTS), fc.constant(":*")),
    choose(...PATHS),
  )
  .map((parts) => parts.join(""));

export const source = fc.oneof(
  { weight: 6, arbitrary: hostSource },
  { weight: 2, arbitrary: chooseWord("'self' * http: https: ws: wss: data: blob:") },
  {
    weight: 1,
    arbitrary: chooseWord(
      "'none' 'strict-dynamic' 'unsafe-inline' 'sha256-abc' 'url-sha256-abc' a_b 'report-sample'",
    ),
  },
);

const directive = fc
  .tuple(choose(...NAMES), fc.array(source, { maxLength: 4 }))
  .map(([name, sources]) => [name, ...sources].join(" "));

/** Texts of policies that are mostly valid. */
export const policyText = fc
  .tuple(fc.array(directive, { maxLength: 4 }), choose("", "", "", "; upgrade-insecure-requests"))
  .map(([directives, extra]) => directives.join("; ") + extra);

export const url = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(choose("http", "https", "ws", "wss"), choose(...HOSTS), choose(...PORTS), choose(...PATHS))
      .map(([scheme, host, port, path]) => `${scheme}://${host}${port}${path}`),
  },
  {
    weight: 1,
    arbitrary: chooseWord("data:text/plain,x blob:https://a.example/1 https://[::1]/ https://a_b.example/"),
  },
);

export const pageUrl = fc
  .tuple(choose("http", "https"), choose(...HOSTS), choose("", ":8080"))
  .map(([scheme, host, port]) => `${scheme}://${host}${port}/page`);

const kind = fc.constantFrom("script" as const, "connection" as const);
export const request = fc.record({ kind, url, pageUrl });

/** Any texts, but often with characters that matter to a parser. */
export const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      choose(" ", "\t", "\n", "\0", "\u0007", "\u00a0", "\ud800", ...words(`; , ' " * % %E0%80 :// [::1]`)),
      chooseWord("__proto__ constructor toString script-src 'self' bücher.example xn--bcher-kva.example"),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));
