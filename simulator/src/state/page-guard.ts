import { isDeepStrictEqual } from "node:util";
import {
  boolean,
  type Check,
  expression,
  filled,
  invalid,
  object,
  oneOf,
  string,
  that,
} from "../wire/checks";
import {
  type Answer,
  type ApiRequest,
  codes,
  findOrRefuse,
  ok,
  RefusalError,
  type ServiceName,
  timestamp,
} from "../wire/operation";
import type { Plan, ZonePolicy, ZoneSettings } from "./zone";

/** Checks `enabled` as a string. The documented service accepts only strings; the public service also accepts booleans. */
const enabledText: Check<boolean> = (value, at) => {
  if (value === "true" || value === "false") return value === "true";
  throw invalid(at, 'must be the string "true" or "false"');
};

const dialects: Readonly<
  Record<ServiceName, { endpoint: string; actions: readonly string[]; enabled: Check<boolean> }>
> = {
  page_guard: { endpoint: "use_vendor_reporting_endpoint", actions: ["log", "allow"], enabled: enabledText },
  page_shield: {
    endpoint: "use_cloudflare_reporting_endpoint",
    actions: ["log", "allow", "add_reporting_directives"],
    enabled: (value, at) => (typeof value === "boolean" ? value : enabledText(value, at)),
  },
};

export function getSettings({ zone, service }: ApiRequest): Answer {
  return ok(settingsOnWire(zone.settings, service));
}

export function updateSettings({ zone, service, body, now }: ApiRequest): Answer {
  const { endpoint } = dialects[service];
  const sent = object({ enabled: boolean, [endpoint]: boolean, use_connection_url_path: boolean })(body, "");
  const paid = { use_connection_url_path: true, [endpoint]: false };
  for (const [field, value] of Object.entries(paid)) {
    if (zone.plan === "enterprise" || sent[field] !== value) continue;
    const message = `the zone is not entitled to change ${field}`;
    throw new RefusalError(403, codes.notEntitled, message, `/${field}`);
  }
  const before = zone.settings;
  const { [endpoint]: isVendors = before.use_vendor_reporting_endpoint, ...others } = sent;
  const wanted = { ...before, ...others, use_vendor_reporting_endpoint: isVendors };
  zone.settings = { ...wanted, updated_at: timestamp(now) };
  const { enabled, updated_at } = zone.settings;
  const shown = service === "page_guard" ? { enabled, updated_at } : settingsOnWire(zone.settings, service);
  return ok(shown, !isDeepStrictEqual(before, wanted));
}

function settingsOnWire(settings: ZoneSettings, service: ServiceName): Record<string, unknown> {
  const { use_vendor_reporting_endpoint, ...others } = settings;
  return { ...others, [dialects[service].endpoint]: use_vendor_reporting_endpoint };
}

const quotas: Record<Plan, number> = { pro: 0, business: 5, enterprise: 50 };

export function listPolicies({ zone, service }: ApiRequest): Answer {
  return ok(zone.policies.map((policy) => policyOnWire(policy, service)));
}

export function getPolicy({ zone, service, params }: ApiRequest): Answer {
  return ok(policyOnWire(findOrRefuse(zone.policies, params["policy_id"], "policy"), service));
}

export function createPolicy({ zone, service, body, mint }: ApiRequest): Answer {
  const policy: ZonePolicy = { id: mint(), ...object(policyMembers(service), fields)(body, "") };
  const quota = zone.policyQuota ?? quotas[zone.plan];
  const count = zone.policies.length + 1;
  if (count > quota) {
    const phase = "http_response_headers_transform_page_guard";
    const message = `exceeded the maximum number of rules in the phase ${phase}: ${count} out of ${quota}`;
    throw new RefusalError(400, codes.quota, message);
  }
  zone.policies.push(policy);
  return ok(policyOnWire(policy, service), true);
}

export function updatePolicy({ zone, service, params, body }: ApiRequest): Answer {
  const policy = findOrRefuse(zone.policies, params["policy_id"], "policy");
  const before = { ...policy };
  Object.assign(policy, object(policyMembers(service))(body, ""));
  return ok(policyOnWire(policy, service), !isDeepStrictEqual(before, policy));
}

export function deletePolicy({ zone, params }: ApiRequest): Answer {
  const before = zone.policies.length;
  zone.policies = zone.policies.filter((policy) => policy.id !== params["policy_id"]);
  return { status: 204, body: undefined, changed: zone.policies.length < before };
}

const fields = ["description", "action", "expression", "enabled", "value"] as const;
/** Whether an expression has at most 4096 characters. The limit counts characters, not bytes. */
const isShort = (text: string) => [...text].length <= 4096;
const short = that(expression, isShort, "must have at most 4096 characters");

function policyMembers(service: ServiceName) {
  const { actions, enabled } = dialects[service];
  return { description: string, action: oneOf(actions), expression: short, enabled, value: filled };
}

function policyOnWire(policy: ZonePolicy, service: ServiceName): Record<string, unknown> {
  return service === "page_guard" ? { ...policy, enabled: String(policy.enabled) } : { ...policy };
}
