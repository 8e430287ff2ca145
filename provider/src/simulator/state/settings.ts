import { boolean, object } from "../wire/checks";
import { type Answer, codes, ok, RefusalError } from "../wire/envelope";
import { sameJson } from "../wire/json";
import { type ApiRequest, type ServiceName, timestamp } from "../wire/request";
import type { ZoneSettings } from "./zone";

/** GET zones/{zone_id}/page_guard */
export function getSettings({ zone, service }: ApiRequest): Answer {
  return ok(onWire(zone.settings, service));
}

/** PUT zones/{zone_id}/page_guard: up to three optional booleans; what is left out stays. */
export function updateSettings({ zone, service, body, now }: ApiRequest): Answer {
  const endpoint = endpointField(service);
  const sent = object({ enabled: boolean, [endpoint]: boolean, use_connection_url_path: boolean })(body, "");
  if (zone.plan !== "enterprise") {
    if (sent["use_connection_url_path"] === true) throw notEntitled("use_connection_url_path");
    if (sent[endpoint] === false) throw notEntitled(endpoint);
  }
  const before = zone.settings;
  const { [endpoint]: isVendors = before.use_vendor_reporting_endpoint, ...others } = sent;
  const wanted = { ...before, ...others, use_vendor_reporting_endpoint: isVendors };
  const changed = !sameJson(before, wanted);
  zone.settings = { ...wanted, updated_at: timestamp(now) };
  const { enabled, updated_at } = zone.settings;
  return ok(service === "page_guard" ? { enabled, updated_at } : onWire(zone.settings, service), changed);
}

function onWire(settings: ZoneSettings, service: ServiceName): Record<string, unknown> {
  return {
    enabled: settings.enabled,
    updated_at: settings.updated_at,
    [endpointField(service)]: settings.use_vendor_reporting_endpoint,
    use_connection_url_path: settings.use_connection_url_path,
  };
}

function endpointField(service: ServiceName): string {
  return service === "page_guard" ? "use_vendor_reporting_endpoint" : "use_cloudflare_reporting_endpoint";
}

function notEntitled(field: string): RefusalError {
  return new RefusalError(403, codes.notEntitled, `the zone is not entitled to change ${field}`, `/${field}`);
}
