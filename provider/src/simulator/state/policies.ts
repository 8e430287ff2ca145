import { type Check, invalid, object, oneOf, string, that } from "../wire/checks";
import { type Answer, codes, found, ok, RefusalError } from "../wire/envelope";
import type { ApiRequest, ServiceName } from "../wire/request";
import type { Plan, ZonePolicy } from "./zone";

const filled = that(string, (text) => text.trim() !== "", "must not be empty");
/** The documented service takes only the strings; the public one also booleans. */
const enabledText: Check<boolean> = (value, at) => {
  if (value === "true" || value === "false") return value === "true";
  throw invalid(at, 'must be the string "true" or "false"');
};
/** The longest expression has so many characters, not bytes. */
const members = {
  description: string,
  expression: that(filled, (text) => [...text].length <= 4096, "must have at most 4096 characters"),
  value: filled,
};
const actions: Readonly<Record<ServiceName, readonly string[]>> = {
  page_guard: ["log", "allow"],
  page_shield: ["log", "allow", "add_reporting_directives"],
};
const quotas: Record<Plan, number> = { pro: 0, business: 5, enterprise: 50 };

/** GET zones/{zone_id}/page_guard/policies: no paging. */
export function listPolicies({ zone, service }: ApiRequest): Answer {
  return ok(zone.policies.map((policy) => onWire(policy, service)));
}

/** GET zones/{zone_id}/page_guard/policies/{policy_id} */
export function getPolicy({ zone, service, params }: ApiRequest): Answer {
  return ok(onWire(found(zone.policies, params["policy_id"], "policy"), service));
}

/** POST zones/{zone_id}/page_guard/policies: all five fields; answers 200. */
export function createPolicy({ zone, service, body, mint }: ApiRequest): Answer {
  const policy: ZonePolicy = { id: mint(), ...sentPolicy(service, names)(body, "") };
  const quota = zone.policyQuota ?? quotas[zone.plan];
  const count = zone.policies.length + 1;
  if (count > quota) {
    const phase = "http_response_headers_transform_page_guard";
    const message = `exceeded the maximum number of rules in the phase ${phase}: ${count} out of ${quota}`;
    throw new RefusalError(400, codes.quota, message);
  }
  zone.policies.push(policy);
  return ok(onWire(policy, service), true);
}

/** PUT zones/{zone_id}/page_guard/policies/{policy_id}: what is left out stays. */
export function updatePolicy({ zone, service, params, body }: ApiRequest): Answer {
  const policy = found(zone.policies, params["policy_id"], "policy");
  const before = { ...policy };
  Object.assign(policy, sentPolicy(service)(body, ""));
  return ok(onWire(policy, service), JSON.stringify(before) !== JSON.stringify(policy));
}

/** DELETE zones/{zone_id}/page_guard/policies/{policy_id}: 204 without a body, also when it does not exist. */
export function deletePolicy({ zone, params }: ApiRequest): Answer {
  const before = zone.policies.length;
  zone.policies = zone.policies.filter((policy) => policy.id !== params["policy_id"]);
  return { status: 204, body: undefined, changed: zone.policies.length < before };
}

const names = ["description", "action", "expression", "enabled", "value"] as const;

function sentPolicy<R extends (typeof names)[number] = never>(service: ServiceName, required?: readonly R[]) {
  const enabled: Check<boolean> = (value, at) =>
    service === "page_shield" && typeof value === "boolean" ? value : enabledText(value, at);
  const { description, expression, value } = members;
  return object({ description, action: oneOf(actions[service]), expression, enabled, value }, required);
}

function onWire(policy: ZonePolicy, service: ServiceName): Record<string, unknown> {
  const enabled = service === "page_guard" ? String(policy.enabled) : policy.enabled;
  return { ...policy, enabled };
}
