import * as z from "zod";
import { wordInput, zoneIdInput } from "../../model/common-inputs";
import {
  impactSchema,
  levels,
  policyShape,
  recordedPolicyShape,
  recordedShape,
  resourceShape,
} from "../../model/policies/policy-inputs";

export const shape = { zoneId: zoneIdInput, ...policyShape, ...resourceShape };
const inputsSchema = z.object(shape);
export type Inputs = z.output<typeof inputsSchema>;

export const stateSchema = inputsSchema.partial().extend({
  ...recordedPolicyShape,
  ...recordedShape,
  policyId: z.string().optional(),
  loggingSince: z.string().optional(),
  impact: z.union([impactSchema, wordInput(levels)]).optional(),
  /** Absent in the state of an older version. */
  checkedImpact: impactSchema.optional(),
});
export type State = z.output<typeof stateSchema>;
