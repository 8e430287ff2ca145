import fc from "fast-check";
import type { Connection, Script } from "../../provider/src/api/client-types";
import { HOSTS, url } from "./random";

let count = 0;

/** Returns a script as the service shows it, with the given fields. */
export function script(fields: Partial<Script> & { readonly url: string }): Script {
  return {
    id: `s${count++}`,
    host: "shop.example",
    firstPageUrl: "shop.example/checkout",
    status: "active",
    firstSeenAt: "2024-01-01T00:00:00Z",
    lastSeenAt: "2024-05-01T10:00:00Z",
    jsIntegrityScore: 90,
    ...fields,
  };
}

export function connection(fields: Partial<Connection> & { readonly url: string }): Connection {
  const { jsIntegrityScore: _, ...rest } = script(fields);
  return rest;
}

/** Returns a script that a suggestion allows. */
export const good = (url: string) => script({ url });
export const bad = (url: string, firstPageUrl = "https://shop.example/") =>
  script({ url, firstPageUrl, jsIntegrityScore: 3 });
const january = (day: number) => new Date(Date.UTC(2024, 0, day)).toISOString();
/** Returns a script that was first and last seen on these days of January. */
export const life = (url: string, first: number, last: number) => ({
  ...script({ url }),
  firstSeenAt: january(first),
  lastSeenAt: january(last),
});
export const on15th = { now: new Date("2024-01-15T00:00:00Z") };

const item = fc.record(
  {
    id: fc.string(),
    url: fc.oneof(
      { weight: 9, arbitrary: url },
      { weight: 1, arbitrary: fc.webUrl({ withQueryParameters: true }) },
    ),
    host: fc.constantFrom(...HOSTS),
    firstPageUrl: fc.constantFrom(...HOSTS, ...HOSTS.map((host) => `http://${host}:8080/page`)),
    status: fc.constantFrom("active", "infrequent", "inactive"),
    firstSeenAt: fc.constantFrom("2024-01-01T00:00:00Z", "2024-05-30T00:00:00Z", "never"),
    lastSeenAt: fc.constantFrom("2024-05-01T00:00:00Z", "2024-05-31T00:00:00Z", "never"),
    domainReportedMalicious: fc.integer({ max: 4, min: 0 }).map((number) => number === 0),
    urlReportedMalicious: fc.constant(false),
  },
  { requiredKeys: ["id", "url"] },
);

/** Random items that lack any of the fields that a plan may leave out. */
export const anyConnection: fc.Arbitrary<Connection> = item;
export const anyScript: fc.Arbitrary<Script> = fc
  .tuple(item, fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }))
  .map(([fields, score]) => (score === undefined ? fields : { ...fields, jsIntegrityScore: score }));
