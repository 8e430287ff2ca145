import { z } from "zod";
import type { Connection, Cookie, Policy, Script, Settings } from "../client-types";
import { compact, flag, listOf, maybe, moment, numeral, unknownFields, word } from "./schema-parts";

/** Answers of the Page Guard API (the Page Guard API document), in both spellings of the service. */

const text = maybe(z.string());
const time = maybe(moment);
const integer = maybe(numeral);
const texts = maybe(z.array(z.string()));
const bool = maybe(flag);

export const settingsSchema = z
  .looseObject({
    enabled: flag,
    updated_at: time,
    use_vendor_reporting_endpoint: bool,
    use_cloudflare_reporting_endpoint: bool,
    use_connection_url_path: bool,
  })
  .transform(
    (wire): Settings =>
      compact({
        enabled: wire.enabled,
        useVendorReportingEndpoint:
          wire.use_vendor_reporting_endpoint ?? wire.use_cloudflare_reporting_endpoint,
        useConnectionUrlPath: wire.use_connection_url_path,
        updatedAt: wire.updated_at,
      }),
  );

export const policySchema = z
  .looseObject({
    id: word,
    description: text,
    action: z.string(),
    // One policy of somebody else without a text must not make all the others of the zone unreadable.
    expression: text,
    enabled: flag,
    value: text,
  })
  .transform(
    (wire): Policy => ({
      policyId: wire.id,
      description: wire.description ?? "",
      action: wire.action,
      expression: wire.expression ?? "",
      enabled: wire.enabled,
      value: wire.value ?? "",
    }),
  );

export const policyListSchema = listOf(policySchema);

const itemFields = {
  id: word,
  added_at: time,
  first_seen_at: time,
  last_seen_at: time,
  host: text,
  domain_reported_malicious: bool,
  url_reported_malicious: bool,
  malicious_domain_categories: texts,
  malicious_url_categories: texts,
  first_page_url: text,
  status: text,
  url_contains_cdn_cgi_path: bool,
  page_urls: texts,
};

const urlItemFields = { ...itemFields, url: z.string() };

function common(wire: z.output<z.ZodObject<typeof urlItemFields>>) {
  return {
    id: wire.id,
    url: wire.url,
    addedAt: wire.added_at,
    firstSeenAt: wire.first_seen_at,
    lastSeenAt: wire.last_seen_at,
    host: wire.host,
    domainReportedMalicious: wire.domain_reported_malicious,
    urlReportedMalicious: wire.url_reported_malicious,
    maliciousDomainCategories: wire.malicious_domain_categories,
    maliciousUrlCategories: wire.malicious_url_categories,
    firstPageUrl: wire.first_page_url,
    status: wire.status,
    urlContainsCdnCgiPath: wire.url_contains_cdn_cgi_path,
    pageUrls: wire.page_urls,
  };
}

const versionFields = { hash: text, js_integrity_score: integer, fetched_at: time };

const versionSchema = z.looseObject(versionFields).transform((wire) =>
  compact({
    hash: wire.hash,
    jsIntegrityScore: wire.js_integrity_score,
    fetchedAt: wire.fetched_at,
    extra: unknownFields(wire, versionFields),
  }),
);

const scriptFields = {
  ...urlItemFields,
  hash: text,
  js_integrity_score: integer,
  obfuscation_score: integer,
  dataflow_score: integer,
  cryptomining_score: integer,
  magecart_score: integer,
  malware_score: integer,
  fetched_at: time,
  versions: maybe(z.array(versionSchema)),
};

export const scriptSchema = z.looseObject(scriptFields).transform(
  (wire): Script =>
    compact({
      ...common(wire),
      hash: wire.hash,
      jsIntegrityScore: wire.js_integrity_score,
      obfuscationScore: wire.obfuscation_score,
      dataflowScore: wire.dataflow_score,
      cryptominingScore: wire.cryptomining_score,
      magecartScore: wire.magecart_score,
      malwareScore: wire.malware_score,
      fetchedAt: wire.fetched_at,
      versions: wire.versions,
      extra: unknownFields(wire, scriptFields),
    }),
);

export const connectionSchema = z
  .looseObject(urlItemFields)
  .transform((wire): Connection => compact({ ...common(wire), extra: unknownFields(wire, urlItemFields) }));

const cookieFields = {
  id: word,
  type: text,
  name: z.string(),
  host: text,
  domain_attribute: text,
  expires_attribute: time,
  http_only_attribute: bool,
  max_age_attribute: integer,
  path_attribute: text,
  same_site_attribute: text,
  secure_attribute: bool,
  first_seen_at: time,
  last_seen_at: time,
  first_page_url: text,
  page_urls: texts,
  status: text,
};

export const cookieSchema = z.looseObject(cookieFields).transform(
  (wire): Cookie =>
    compact({
      id: wire.id,
      type: wire.type,
      name: wire.name,
      host: wire.host,
      domainAttribute: wire.domain_attribute,
      expiresAttribute: wire.expires_attribute,
      httpOnlyAttribute: wire.http_only_attribute,
      maxAgeAttribute: wire.max_age_attribute,
      pathAttribute: wire.path_attribute,
      sameSiteAttribute: wire.same_site_attribute,
      secureAttribute: wire.secure_attribute,
      firstSeenAt: wire.first_seen_at,
      lastSeenAt: wire.last_seen_at,
      firstPageUrl: wire.first_page_url,
      pageUrls: wire.page_urls,
      status: wire.status,
      extra: unknownFields(wire, cookieFields),
    }),
);
