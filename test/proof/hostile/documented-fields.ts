const detected = [
  "id url added_at first_seen_at last_seen_at host domain_reported_malicious url_reported_malicious",
  "malicious_domain_categories[] malicious_url_categories[] first_page_url status url_contains_cdn_cgi_path",
].join(" ");
const script = `${detected} hash js_integrity_score obfuscation_score dataflow_score fetched_at`;
const cookie = [
  "id type name host domain_attribute expires_attribute http_only_attribute max_age_attribute path_attribute",
  "same_site_attribute secure_attribute first_seen_at last_seen_at first_page_url",
].join(" ");
const policy = "id description action expression enabled value";
const paging = below("result_info", "page per_page count total_count total_pages");
const zone = "/zones/{zone}";
const guard = `${zone}/page_guard`;
const entrypoint = `${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`;
const rule = "id version ref action expression description enabled action_parameters.id";

/** The fields of all answers, as the two API documents name them (`page-guard-api.md`, `waf-migration-api.md`). */
export const documentedFields: Readonly<Record<string, readonly string[]>> = {
  [`GET ${guard}`]: below(
    "result",
    "enabled updated_at use_vendor_reporting_endpoint use_connection_url_path",
  ),
  [`PUT ${guard}`]: below("result", "updated_at"),
  [`GET ${guard}/scripts`]: [...below("result[]", script), ...paging],
  [`GET ${guard}/scripts/{id}`]: below(
    "result",
    `${script} page_urls[] versions[].hash versions[].js_integrity_score versions[].fetched_at`,
  ),
  [`GET ${guard}/connections`]: [...below("result[]", detected), ...paging],
  [`GET ${guard}/connections/{id}`]: below("result", detected),
  [`GET ${guard}/cookies`]: [...below("result[]", cookie), ...paging],
  [`GET ${guard}/cookies/{id}`]: below("result", `${cookie} page_urls[]`),
  [`GET ${guard}/policies`]: below("result[]", policy),
  [`GET ${guard}/policies/{id}`]: below("result", policy),
  [`POST ${guard}/policies`]: below("result", policy),
  [`PUT ${guard}/policies/{id}`]: below("result", policy),
  [`GET ${zone}/waf_migration/check`]: below("result", "compatible migration_state"),
  [`GET ${zone}/waf_migration/config`]: below(
    "result",
    `name ${below("rules[]", `${rule} action_parameters.overrides.rules[].id`).join(" ")}`,
  ),
  [`GET ${zone}/waf_migration/status`]: below(
    "result",
    "created migration_state new_waf_status old_waf_status source",
  ),
  [`GET ${entrypoint}`]: below(
    "result",
    `id name description version last_updated ${below("rules[]", rule).join(" ")}`,
  ),
  [`PUT ${entrypoint}`]: below(
    "result",
    `id name ${below("rules[]", "id action expression description").join(" ")}`,
  ),
  [`GET ${zone}/firewall/waf/overrides`]: below("result[]", "id description urls[]"),
};

function below(path: string, names: string): string[] {
  return names.split(" ").map((name) => `${path}.${name}`);
}
