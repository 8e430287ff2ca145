import type { Settings } from "../../api/client-types";

/** Arguments of a `PageGuardSettings`, except `zoneId`, that declare the settings of a zone. */
export interface SettingsDeclaration {
  readonly enabled: boolean;
  /** Absent if the service does not return it, for example because of the zone's plan. */
  readonly useVendorReportingEndpoint?: boolean;
  readonly useConnectionUrlPath?: boolean;
}

/** Returns all switches that the service returned, without fields that it created. */
export function settingsDeclaration({ updatedAt: _made, ...declared }: Settings): SettingsDeclaration {
  return declared;
}
