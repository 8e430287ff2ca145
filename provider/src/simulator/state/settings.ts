import { type Answer, codes, ok, Refusal } from "../wire/envelope";
import { Fields } from "../wire/fields";
import { type ApiRequest, type ServiceName, timestamp } from "../wire/request";
import type { ZoneSettings } from "./zone";

/** GET zones/{zone_id}/page_guard */
export function getSettings({ zone, service }: ApiRequest): Answer {
  return ok(shown(zone.settings, service));
}

/** PUT zones/{zone_id}/page_guard: up to three optional booleans; what is left out stays. */
export function updateSettings({ zone, service, body, now }: ApiRequest): Answer {
  const endpoint = endpointField(service);
  const fields = Fields.of(body, "", ["enabled", endpoint, "use_connection_url_path"]);
  const wanted = {
    enabled: fields.boolean("enabled") ?? zone.settings.enabled,
    use_vendor_reporting_endpoint: fields.boolean(endpoint) ?? zone.settings.use_vendor_reporting_endpoint,
    use_connection_url_path:
      fields.boolean("use_connection_url_path") ?? zone.settings.use_connection_url_path,
  };
  if (zone.plan !== "enterprise") {
    if (fields.boolean("use_connection_url_path") === true) throw notEntitled("use_connection_url_path");
    if (fields.boolean(endpoint) === false) throw notEntitled(endpoint);
  }
  const before = zone.settings;
  zone.settings = { ...wanted, updated_at: timestamp(now) };
  const changed =
    before.enabled !== wanted.enabled ||
    before.use_vendor_reporting_endpoint !== wanted.use_vendor_reporting_endpoint ||
    before.use_connection_url_path !== wanted.use_connection_url_path;
  const { enabled, updated_at } = zone.settings;
  return ok(service === "page_guard" ? { enabled, updated_at } : shown(zone.settings, service), changed);
}

function shown(settings: ZoneSettings, service: ServiceName): Record<string, unknown> {
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

function notEntitled(field: string): Refusal {
  return new Refusal(403, codes.notEntitled, `the zone is not entitled to change ${field}`, `/${field}`);
}
