import { placesOf } from "../../lifecycle/approval/differing-places";
import { steadyState } from "../../lifecycle/approval/step-compared";
import { isSecretMark, isUnknownMark, plainValues } from "../review/difference";
import type { StepMetadata } from "../review/event-schema";
import { type StepFacts, secretValue, type Values } from "../review/preview-read";

/** What the marks in a step's values say. In the plain values a text of the program may look like a mark. */
export function factsOf({ old, new: now }: Pick<StepMetadata, "old" | "new">): StepFacts {
  const inputs = visible(now?.inputs);
  const outputs = visible(old?.outputs);
  const hidden = secretNames(outputs);
  return {
    unknown: placesOf(inputs, isUnknownMark),
    secret: secretNames(inputs),
    hidden,
    ...(old && { recorded: steadyState(plainValues(outputs) ?? {}, hidden) }),
  };
}

/** Of the steps of one replacement, of which each tells a part. */
export function joinedFacts(one: StepFacts, other: StepFacts): StepFacts {
  const declared = one.unknown.length + one.secret.length > 0 ? one : other;
  const recorded = one.recorded ? one : other;
  return {
    ...{ unknown: declared.unknown, secret: declared.secret, hidden: recorded.hidden },
    ...(recorded.recorded && { recorded: recorded.recorded }),
  };
}

function secretNames(values: Values): string[] {
  return Object.keys(values).filter((name) => placesOf(values[name], isClosed).length > 0);
}

/** The engine also takes each secret value of the stack's config out of every text that it shows. */
function isClosed(value: unknown): boolean {
  return isSecretMark(value) || (typeof value === "string" && value.includes(secretValue));
}

function visible(values: Values | null | undefined): Values {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([name]) => !name.startsWith("__")));
}
