import * as z from "zod";
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
  /** Whether the outcome of the last update is unknown. */
  incomplete: z.boolean().optional(),
  /** Settings found before the first change. A state that a person wrote lacks them until the next refresh or update. */
  initial: inputsSchema
    .pick({ enabled: true, useVendorReportingEndpoint: true, useConnectionUrlPath: true })
    .optional(),
});
export type State = z.output<typeof stateSchema>;
