import * as z from "zod";
import { textInput, wordInput, zoneIdInput } from "../../model/common-inputs";
import {
  impactSchema,
  levels,
  policyShape,
  recordedPolicyShape,
  recordedShape,
  resourceShape,
} from "../../model/policies/policy-inputs";

const entrySchema = z.strictObject({
  ...policyShape,
  description: policyShape.description.optional(),
  /** Id from the service. It is ignored, so that policies returned by `getPolicies` can be declared unchanged. */
  policyId: z.string().optional(),
});

export const shape = {
  zoneId: zoneIdInput,
  policies: z.record(z.string(), entrySchema, {
    error: `policies must be an object that maps names of your choice to policies: { checkout: { action: "log", … } }.`,
  }),
  others: wordInput(["keep", "refuse", "delete"]).optional(),
  release: z
    .array(textInput("a key of release"), { error: "release must be a list of keys that leave the set." })
    .optional(),
  ...resourceShape,
};
const inputsSchema = z.object(shape);
export type Inputs = z.output<typeof inputsSchema>;

/** Schema of a policy in the state, as an update sent it or a refresh found it. */
const recordedEntrySchema = entrySchema.partial().extend(recordedPolicyShape);
export type RecordedEntry = z.output<typeof recordedEntrySchema>;

export const stateSchema = inputsSchema.partial().extend({
  ...recordedShape,
  policies: z.record(z.string(), recordedEntrySchema).optional(),
  policyIds: z.record(z.string(), z.string()).optional(),
  /** Ids of policies that the set stopped managing, so that others could adopt them. Only in states of older versions. */
  released: z.record(z.string(), z.unknown()).optional(),
  /** Labels of undeclared policies. Present with `others` "refuse" or "delete". */
  undeclared: z.array(z.string()).optional(),
  loggingSince: z.record(z.string(), z.string()).optional(),
  impact: z.union([z.record(z.string(), impactSchema), wordInput(levels)]).optional(),
});
export type State = z.output<typeof stateSchema>;
