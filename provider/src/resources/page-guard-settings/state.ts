import { z } from "zod";
import type { Settings } from "../../api/client-types";
import { booleanInput, connectionInput, wordInput, zoneIdInput } from "../../model/common-inputs";

export const shape = {
  zoneId: zoneIdInput,
  enabled: booleanInput,
  useVendorReportingEndpoint: booleanInput.optional(),
  useConnectionUrlPath: booleanInput.optional(),
  onDestroy: wordInput(["restore", "disable", "keep"]).optional(),
  connection: connectionInput.optional(),
};

export const switches = ["enabled", "useVendorReportingEndpoint", "useConnectionUrlPath"] as const;

const inputsSchema = z.object(shape);
export type Inputs = z.output<typeof inputsSchema>;

export const stateSchema = inputsSchema.partial().extend({
  updatedAt: z.string().optional(),
  /** As found before the first change. Absent after an import: then there is nothing to restore. */
  initial: inputsSchema
    .pick({ enabled: true, useVendorReportingEndpoint: true, useConnectionUrlPath: true })
    .optional(),
});
export type State = z.output<typeof stateSchema>;

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
