import { getEntrypoint } from "../state/entrypoint";
import * as lists from "../state/lists";
import * as pages from "../state/page-guard";
import * as waf from "../state/waf-migration";
import { managedPhase } from "./entrypoint-body";
import type { Operation, ServiceName } from "./operation";

interface Route {
  readonly method: string;
  /** Pattern of the path after `zones/{zone_id}/`. Named groups are identifiers; `service` is the spelling of the service. */
  readonly pattern: RegExp;
  readonly query: readonly string[];
  readonly operation: Operation;
}

/** All operations in the documentation of both APIs, and operations known from the public service. */
const routes: readonly Route[] = [
  route("GET :service", pages.getSettings),
  route("PUT :service", pages.updateSettings),
  route("GET :service/scripts", lists.scripts.list, lists.scripts.parameters),
  route("GET :service/scripts/:item_id", lists.scripts.get),
  route("GET :service/connections", lists.connections.list, lists.connections.parameters),
  route("GET :service/connections/:item_id", lists.connections.get),
  route("GET :service/cookies", lists.cookies.list, lists.cookies.parameters),
  route("GET :service/cookies/:item_id", lists.cookies.get),
  route("GET :service/policies", pages.listPolicies),
  route("POST :service/policies", pages.createPolicy),
  route("GET :service/policies/:policy_id", pages.getPolicy),
  route("PUT :service/policies/:policy_id", pages.updatePolicy),
  route("DELETE :service/policies/:policy_id", pages.deletePolicy),
  route(`GET rulesets/phases/${managedPhase}/entrypoint`, getEntrypoint),
  route(`PUT rulesets/phases/${managedPhase}/entrypoint`, waf.putEntrypoint, ["waf_migration", "phase_two"]),
  route("GET waf_migration/check", waf.checkCompatibility, ["phase_two"]),
  route("GET waf_migration/config", waf.getConfiguration, ["phase_two"]),
  route("GET waf_migration/status", waf.getStatus),
  route("GET firewall/waf/overrides", waf.listUriOverrides, ["page", "per_page"]),
  route("DELETE firewall/waf/overrides/:override_id", waf.deleteUriOverride),
];

/** Returns the operation at a path; `other-method` if the path exists, but not with this method. */
export function findRoute(method: string, path: string) {
  const known = routes.flatMap((candidate) => {
    const params = candidate.pattern.exec(path)?.groups;
    const service: ServiceName = params?.["service"] === "page_shield" ? "page_shield" : "page_guard";
    return candidate.pattern.test(path) ? [{ route: candidate, service, params: { ...params } }] : [];
  });
  return (
    known.find(({ route }) => route.method === method) ?? (known.length > 0 ? "other-method" : undefined)
  );
}

function route(target: string, operation: Operation, query: readonly string[] = []): Route {
  const [method = "", path = ""] = target.split(" ");
  const source = path.replace(":service", "(?<service>page_guard|page_shield)");
  const pattern = new RegExp(`^${source.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
  return { method, pattern, query, operation };
}
