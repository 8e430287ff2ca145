import * as z from "zod";
import type { Connection, Cookie, Policy, Script, Settings } from "../client-types";
import {
  compact,
  fields,
  fieldsAndExtra,
  flag,
  lenientList,
  maybe,
  moment,
  numeral,
  word,
} from "./schema-parts";

/** Schemas for responses of the Page Guard API, as its API document describes them, with the field names of both services. */

const text = maybe(z.string());
const time = maybe(moment);
const integer = maybe(numeral);
const texts = maybe(z.array(z.string()));
const bool = maybe(flag);

export const settingsSchema: z.ZodType<Settings> = fields({
  enabled: flag,
  updated_at: time,
  use_vendor_reporting_endpoint: bool,
  use_cloudflare_reporting_endpoint: bool,
  use_connection_url_path: bool,
}).transform(({ useCloudflareReportingEndpoint: byVendorsName, ...settings }) =>
  compact({
    ...settings,
    useVendorReportingEndpoint: settings.useVendorReportingEndpoint ?? byVendorsName,
  }),
);

export const policySchema: z.ZodType<Policy> = fields({
  id: word,
  description: text,
  action: z.string(),
  // One unmanaged policy without an expression must not make the other policies of the zone unreadable.
  expression: text,
  enabled: flag,
  value: text,
}).transform(({ id, description = "", expression = "", value = "", ...rest }) => ({
  policyId: id,
  description,
  expression,
  value,
  ...rest,
}));

export const policyListSchema = lenientList(policySchema);

const itemFields = {
  id: word,
  url: z.string(),
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

const versionFields = { hash: text, js_integrity_score: integer, fetched_at: time };

export const scriptSchema: z.ZodType<Script> = fieldsAndExtra({
  ...itemFields,
  ...versionFields,
  obfuscation_score: integer,
  dataflow_score: integer,
  cryptomining_score: integer,
  magecart_score: integer,
  malware_score: integer,
  versions: maybe(z.array(fieldsAndExtra(versionFields))),
});

export const connectionSchema: z.ZodType<Connection> = fieldsAndExtra(itemFields);

export const cookieSchema: z.ZodType<Cookie> = fieldsAndExtra({
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
});
