import type { Settings } from "../../api/client-types";

/** The settings of a zone as arguments of a `PageGuardSettings`, which take the zone id besides. */
export interface SettingsDeclaration {
  readonly enabled: boolean;
  /** Absent where the plan or the service does not show it. */
  readonly useVendorReportingEndpoint?: boolean;
  readonly useConnectionUrlPath?: boolean;
}

/** Every switch that the service shows, and nothing that it has made itself. */
export function settingsDeclaration({ updatedAt: _made, ...declared }: Settings): SettingsDeclaration {
  return declared;
}
