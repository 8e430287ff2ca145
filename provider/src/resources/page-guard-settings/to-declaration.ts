import type { Settings } from "../../api/client-types";

/** Arguments of a `PageGuardSettings`, except `zoneId`, that declare the settings of a zone. */
export interface SettingsDeclaration {
  readonly enabled: boolean;
  /** Absent if the plan or the service does not show it. */
  readonly useVendorReportingEndpoint?: boolean;
  readonly useConnectionUrlPath?: boolean;
}

/** Returns every switch that the service shows, without fields that the service created. */
export function settingsDeclaration({ updatedAt: _made, ...declared }: Settings): SettingsDeclaration {
  return declared;
}
