import { type Answer, codes, ok, Refusal } from "../wire/envelope";
import { Fields, invalid } from "../wire/fields";
import type { ApiRequest, ServiceName } from "../wire/request";
import type { Plan, Zone, ZonePolicy } from "./zone";

const fieldNames = ["description", "action", "expression", "enabled", "value"];
/** Characters, not bytes. */
const longestExpression = 4096;
const quotas: Record<Plan, number> = { pro: 0, business: 5, enterprise: 50 };

/** GET zones/{zone_id}/page_guard/policies: no paging. */
export function listPolicies({ zone, service }: ApiRequest): Answer {
  return ok(zone.policies.map((policy) => shown(policy, service)));
}

/** GET zones/{zone_id}/page_guard/policies/{policy_id} */
export function getPolicy({ zone, service, params }: ApiRequest): Answer {
  return ok(shown(existing(zone, params), service));
}

/** POST zones/{zone_id}/page_guard/policies: all five fields; answers 200. */
export function createPolicy({ zone, service, body, mint }: ApiRequest): Answer {
  const fields = Fields.of(body, "", fieldNames);
  const sent = read(fields, service);
  const policy: ZonePolicy = {
    id: mint(),
    description: fields.required("description", sent.description),
    action: fields.required("action", sent.action),
    expression: fields.required("expression", sent.expression),
    enabled: fields.required("enabled", sent.enabled),
    value: fields.required("value", sent.value),
  };
  const quota = zone.policyQuota ?? quotas[zone.plan];
  const count = zone.policies.length + 1;
  if (count > quota) {
    const phase = "http_response_headers_transform_page_guard";
    const message = `exceeded the maximum number of rules in the phase ${phase}: ${count} out of ${quota}`;
    throw new Refusal(400, codes.quota, message);
  }
  zone.policies.push(policy);
  return ok(shown(policy, service), true);
}

/** PUT zones/{zone_id}/page_guard/policies/{policy_id}: what is left out stays. */
export function updatePolicy({ zone, service, params, body }: ApiRequest): Answer {
  const policy = existing(zone, params);
  const before = { ...policy };
  const sent = read(Fields.of(body, "", fieldNames), service);
  policy.description = sent.description ?? policy.description;
  policy.action = sent.action ?? policy.action;
  policy.expression = sent.expression ?? policy.expression;
  policy.enabled = sent.enabled ?? policy.enabled;
  policy.value = sent.value ?? policy.value;
  return ok(shown(policy, service), JSON.stringify(before) !== JSON.stringify(policy));
}

/** DELETE zones/{zone_id}/page_guard/policies/{policy_id}: 204 without a body, also when it does not exist. */
export function deletePolicy({ zone, params }: ApiRequest): Answer {
  const before = zone.policies.length;
  zone.policies = zone.policies.filter((policy) => policy.id !== params["policy_id"]);
  return { status: 204, body: undefined, changed: zone.policies.length < before };
}

function existing(zone: Zone, params: ApiRequest["params"]): ZonePolicy {
  const found = zone.policies.find((policy) => policy.id === params["policy_id"]);
  if (found === undefined) throw new Refusal(404, codes.notFound, "policy not found");
  return found;
}

function read(fields: Fields, service: ServiceName) {
  const actions = service === "page_guard" ? ["log", "allow"] : ["log", "allow", "add_reporting_directives"];
  const expression = fields.string("expression");
  if (expression?.trim() === "") throw invalid(fields.at("expression"), "must not be empty");
  if (expression !== undefined && [...expression].length > longestExpression) {
    throw invalid(fields.at("expression"), `must have at most ${longestExpression} characters`);
  }
  const value = fields.string("value");
  if (value?.trim() === "") throw invalid(fields.at("value"), "must not be empty");
  return {
    description: fields.string("description"),
    action: fields.oneOf("action", actions),
    expression,
    enabled: readEnabled(fields, service),
    value,
  };
}

/** The documented service takes only the strings; the public one also booleans. */
function readEnabled(fields: Fields, service: ServiceName): boolean | undefined {
  const value = fields.value("enabled");
  if (service === "page_shield" && typeof value === "boolean") return value;
  if (value === undefined) return undefined;
  if (value === "true" || value === "false") return value === "true";
  throw invalid(fields.at("enabled"), 'must be the string "true" or "false"');
}

function shown(policy: ZonePolicy, service: ServiceName): Record<string, unknown> {
  const enabled = service === "page_guard" ? String(policy.enabled) : policy.enabled;
  return { ...policy, enabled };
}
