import { z } from "zod";
import { booleanInput, connectionInput, wordInput, zoneIdInput } from "../../model/common-inputs";

export const shape = {
  zoneId: zoneIdInput,
  enabled: booleanInput,
  useVendorReportingEndpoint: booleanInput.optional(),
  useConnectionUrlPath: booleanInput.optional(),
  onDestroy: wordInput(["restore", "disable", "keep"]).optional(),
  connection: connectionInput.optional(),
};

const inputsSchema = z.object(shape);
export type Inputs = z.output<typeof inputsSchema>;

const initialSchema = z.object({
  enabled: z.boolean(),
  useVendorReportingEndpoint: z.boolean().optional(),
  useConnectionUrlPath: z.boolean().optional(),
});

/** The settings as found before the first change. */
export type Initial = z.output<typeof initialSchema>;

export const stateSchema = inputsSchema.partial().extend({
  updatedAt: z.string().optional(),
  /** Absent after an import: then there is nothing to restore. */
  initial: initialSchema.optional(),
});
export type State = z.output<typeof stateSchema>;

export const switches = ["enabled", "useVendorReportingEndpoint", "useConnectionUrlPath"] as const;
export type Switch = (typeof switches)[number];
