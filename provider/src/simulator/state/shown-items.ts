/**
 * Which fields a plan shows. The document says only that some depend on it; the simulator's rule:
 * pro: where and when it was seen; business: also what is reported malicious, `hash` and `fetched_at`;
 * enterprise: also the scores and `versions`. A field that is not shown is absent, not null.
 */
import type { Plan, ZoneConnection, ZoneCookie, ZoneScript } from "./zone";

type Shown = Record<string, unknown>;

const always = [
  ...["id", "url", "added_at", "first_seen_at", "last_seen_at", "host", "first_page_url", "status"],
  "url_contains_cdn_cgi_path",
];
const reported = ["domain_reported_malicious", "url_reported_malicious"];
const scores = [
  ...["js_integrity_score", "obfuscation_score", "dataflow_score", "cryptomining_score", "magecart_score"],
  "malware_score",
];

export function shownScript(script: ZoneScript, plan: Plan, isWhole: boolean): Shown {
  const ofBusiness = [
    ...[...reported, "hash", "fetched_at"],
    ...(script.domain_reported_malicious ? ["malicious_domain_categories"] : []),
    ...(script.url_reported_malicious ? ["malicious_url_categories"] : []),
  ];
  return only(script, [
    ...always,
    ...(plan === "pro" ? [] : ofBusiness),
    ...(plan === "enterprise" ? [...scores, ...(isWhole ? ["versions"] : [])] : []),
    ...(isWhole ? ["page_urls"] : []),
  ]);
}

export function shownConnection(connection: ZoneConnection, plan: Plan): Shown {
  const ofBusiness = [
    ...[...reported, "malicious_url_categories"],
    ...(connection.domain_reported_malicious ? ["malicious_domain_categories"] : []),
  ];
  return only(connection, [...always, ...(plan === "pro" ? [] : ofBusiness)]);
}

/** The list of statuses is a filter of cookies, but `status` is not one of their documented fields. */
export function shownCookie({ status: _status, ...cookie }: ZoneCookie): Shown {
  return cookie;
}

function only(item: object, names: readonly string[]): Shown {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}
