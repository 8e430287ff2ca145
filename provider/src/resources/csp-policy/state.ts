import { z } from "zod";
import { textInput, wordInput, zoneIdInput } from "../../model/common-inputs";
import {
  impactSchema,
  judgementShape,
  levels,
  onDestroyInput,
  policyShape,
  recordedShape,
} from "../../model/policies/policy-inputs";

export const shape = {
  zoneId: zoneIdInput,
  description: textInput("description"),
  ...policyShape,
  onDestroy: onDestroyInput.optional(),
  ...judgementShape,
};

const inputsSchema = z.object(shape);
export type Inputs = z.output<typeof inputsSchema>;

export const stateSchema = inputsSchema.partial().extend({
  ...recordedShape,
  policyId: z.string().optional(),
  loggingSince: z.string().optional(),
  /** The output of that name: it has the place of the argument. */
  impact: z.union([impactSchema, wordInput(levels)]).optional(),
  impactLevel: wordInput(levels).optional(),
  /** A change that may have happened or not: it has to be repeated. */
  incomplete: z.boolean().optional(),
});
export type State = z.output<typeof stateSchema>;
