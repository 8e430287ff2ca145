import { getEntrypoint, putEntrypoint } from "../state/entrypoint";
import * as lists from "../state/lists";
import { createPolicy, deletePolicy, getPolicy, listPolicies, updatePolicy } from "../state/policies";
import { getSettings, updateSettings } from "../state/settings";
import * as waf from "../state/waf-migration";
import { managedPhase } from "./entrypoint-body";
import type { Operation, ServiceName } from "./request";

/** One operation of the APIs: where it is, which query parameters it takes, what it does. */
export interface Route {
  readonly method: string;
  /** Segments after `zones/{zone_id}`; `:name` takes an identifier, `:service` one of the two spellings. */
  readonly pattern: readonly string[];
  readonly query: readonly string[];
  readonly operation: Operation;
}

/** All operations of both documents, and those of the public facts. */
export const routes: readonly Route[] = [
  route("GET :service", getSettings),
  route("PUT :service", updateSettings),
  route("GET :service/scripts", lists.scripts.list, lists.scripts.parameters),
  route("GET :service/scripts/:item_id", lists.scripts.get),
  route("GET :service/connections", lists.connections.list, lists.connections.parameters),
  route("GET :service/connections/:item_id", lists.connections.get),
  route("GET :service/cookies", lists.cookies.list, lists.cookies.parameters),
  route("GET :service/cookies/:item_id", lists.cookies.get),
  route("GET :service/policies", listPolicies),
  route("POST :service/policies", createPolicy),
  route("GET :service/policies/:policy_id", getPolicy),
  route("PUT :service/policies/:policy_id", updatePolicy),
  route("DELETE :service/policies/:policy_id", deletePolicy),
  route(`GET rulesets/phases/${managedPhase}/entrypoint`, getEntrypoint),
  route(`PUT rulesets/phases/${managedPhase}/entrypoint`, putEntrypoint, ["waf_migration", "phase_two"]),
  route("GET waf_migration/check", waf.checkCompatibility, ["phase_two"]),
  route("GET waf_migration/config", waf.getConfiguration, ["phase_two"]),
  route("GET waf_migration/status", waf.getStatus),
  route("GET firewall/waf/overrides", waf.listUriOverrides, ["page", "per_page"]),
  route("DELETE firewall/waf/overrides/:override_id", waf.deleteUriOverride),
];

/** The operation at a path; `other-method` when the path is known but not with this method. */
export function findRoute(method: string, segments: readonly string[]) {
  let known = false;
  for (const candidate of routes) {
    const params = matchPattern(candidate.pattern, segments);
    if (params === undefined) continue;
    known = true;
    if (candidate.method !== method) continue;
    const service: ServiceName = params["service"] === "page_shield" ? "page_shield" : "page_guard";
    return { route: candidate, service, params };
  }
  return known ? "other-method" : undefined;
}

function route(target: string, operation: Operation, query: readonly string[] = []): Route {
  const [method = "", path = ""] = target.split(" ");
  return { method, pattern: path.split("/"), query, operation };
}

function matchPattern(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (!part.startsWith(":")) {
      if (part !== segment) return undefined;
    } else if (part === ":service" ? !/^page_(guard|shield)$/.test(segment) : segment === "") {
      return undefined;
    } else {
      params[part.slice(1)] = segment;
    }
  }
  return params;
}
