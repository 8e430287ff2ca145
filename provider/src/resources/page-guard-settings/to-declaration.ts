import type { Settings } from "../../api/client-types";

/** Arguments of a `PageGuardSettings`, except `zoneId`, that declare the settings of a zone. */
export type SettingsDeclaration = Omit<Settings, "updatedAt">;

/** Returns all switches that the service returned, without fields that it created. */
export function settingsDeclaration({ updatedAt: _made, ...declared }: Settings): SettingsDeclaration {
  return declared;
}
