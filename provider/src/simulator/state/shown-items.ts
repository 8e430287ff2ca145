/**
 * Which fields a plan shows. The document says only that some depend on it; the simulator's rule:
 * pro: where and when it was seen; business: also what is reported malicious, `hash` and `fetched_at`;
 * enterprise: also the scores and `versions`. A field that is not shown is absent, not null.
 */
import type { Plan, Sighting, ZoneConnection, ZoneCookie, ZoneScript } from "./zone";

type Shown = Record<string, unknown>;

export function shownScript(script: ZoneScript, plan: Plan, whole = false): Shown {
  const shown = seen(script);
  if (plan !== "pro") {
    shown["domain_reported_malicious"] = script.domain_reported_malicious;
    shown["url_reported_malicious"] = script.url_reported_malicious;
    if (script.domain_reported_malicious)
      shown["malicious_domain_categories"] = script.malicious_domain_categories;
    if (script.url_reported_malicious) shown["malicious_url_categories"] = script.malicious_url_categories;
    shown["hash"] = script.hash;
    shown["fetched_at"] = script.fetched_at;
  }
  if (plan === "enterprise") {
    shown["js_integrity_score"] = script.js_integrity_score;
    shown["obfuscation_score"] = script.obfuscation_score;
    shown["dataflow_score"] = script.dataflow_score;
    shown["cryptomining_score"] = script.cryptomining_score;
    shown["magecart_score"] = script.magecart_score;
    shown["malware_score"] = script.malware_score;
    if (whole) shown["versions"] = script.versions;
  }
  if (whole) shown["page_urls"] = script.page_urls;
  return shown;
}

export function shownConnection(connection: ZoneConnection, plan: Plan): Shown {
  const shown = seen(connection);
  if (plan !== "pro") {
    shown["domain_reported_malicious"] = connection.domain_reported_malicious;
    shown["url_reported_malicious"] = connection.url_reported_malicious;
    shown["malicious_url_categories"] = connection.malicious_url_categories;
    if (connection.domain_reported_malicious) {
      shown["malicious_domain_categories"] = connection.malicious_domain_categories;
    }
  }
  return shown;
}

/** The list of statuses is a filter of cookies, but `status` is not one of their documented fields. */
export function shownCookie({ status: _status, ...cookie }: ZoneCookie): Shown {
  return cookie;
}

function seen(item: Sighting): Shown {
  return {
    id: item.id,
    url: item.url,
    added_at: item.added_at,
    first_seen_at: item.first_seen_at,
    last_seen_at: item.last_seen_at,
    host: item.host,
    first_page_url: item.first_page_url,
    status: item.status,
    url_contains_cdn_cgi_path: item.url_contains_cdn_cgi_path,
  };
}
