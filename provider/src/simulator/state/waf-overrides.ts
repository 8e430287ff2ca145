import { type Answer, found, ok, page } from "../wire/envelope";
import { readPaging, slice } from "../wire/paging";
import type { ApiRequest } from "../wire/request";
import { refuseWhenGone } from "./waf-migration";

/** GET zones/{zone_id}/firewall/waf/overrides: the URI-based overrides of the previous version. */
export function listUriOverrides({ zone, query }: ApiRequest): Answer {
  refuseWhenGone(zone.waf);
  const { items, info } = slice(zone.waf.uriOverrides, readPaging(query, 25));
  return page(items, info);
}

/** DELETE zones/{zone_id}/firewall/waf/overrides/{override_id} */
export function deleteUriOverride({ zone, params }: ApiRequest): Answer {
  refuseWhenGone(zone.waf);
  const deleted = found(zone.waf.uriOverrides, params["override_id"], "override");
  zone.waf.uriOverrides = zone.waf.uriOverrides.filter((override) => override !== deleted);
  return ok({ id: deleted.id }, true);
}
