import { z } from "zod";
import { placesOf } from "../../lifecycle/approval/differing-places";
import { jsonOf } from "../../text/json-of";
import { readRegularFile } from "../../text/regular-file";
import { CommandError } from "../command-error";
import type { PulumiPreview } from "../pulumi/command-line";
import { isSecretMark } from "../review/difference";
import { UsageError } from "../usage-error";
import { reasonOf } from "../zones";
import type { Plan } from "./plan";

/** As far as it is read here; measured with CLI 3.259. */
const planSchema = z.looseObject({
  manifest: z.looseObject({}),
  resourcePlans: z.record(z.string(), z.looseObject({ state: z.record(z.string(), z.unknown()).nullish() })),
});

export interface EnginePlan {
  /** To be kept as it is. */
  readonly text: string;
  /** An input as it is declared, also where the events do not show all of it. Undefined for a secret one. */
  inputOf(urn: string, name: string): unknown;
}

/** It becomes a part of the approved file. */
const mostBytes = 64_000_000;

/**
 * The plan that a preview has saved.
 *
 * @throws CommandError when it is not one, is one of another stack, or has secrets in plain text.
 */
export function readEnginePlan(
  file: string,
  { project, stack }: Pick<Plan, "project" | "stack">,
): EnginePlan {
  let text: string;
  try {
    text = readRegularFile(file, mostBytes).toString("utf8");
  } catch (error) {
    throw unusable(`cannot be read: ${reasonOf(error)}`);
  }
  const plan = planSchema.safeParse(jsonOf(text)).data;
  if (!plan) throw unusable("is not what `pulumi preview --save-plan` writes");
  const own = `urn:pulumi:${stack}::${project}::`;
  if (!Object.keys(plan.resourcePlans).every((urn) => urn.startsWith(own))) {
    throw unusable("is of another stack than the preview");
  }
  if (placesOf(plan, isOpenSecret).length > 0) throw unusable("has secrets in plain text, by --show-secrets");
  return {
    text,
    inputOf(urn, name) {
      const value = plan.resourcePlans[urn]?.state?.[name];
      return placesOf(value, isSecretMark).length > 0 ? undefined : value;
    },
  };
}

/** Before anything is run: what the plan of an approval must not be made with. */
export function refuseShownSecrets({ given }: PulumiPreview): void {
  if (given.has("show-secrets")) {
    throw new UsageError(
      "Leave out --show-secrets: what is approved is kept in a file, and secrets do not belong into it in plain text.",
    );
  }
}

function isOpenSecret(value: unknown): boolean {
  return isSecretMark(value) && Object.hasOwn(Object(value), "plaintext");
}

function unusable(why: string): CommandError {
  return new CommandError(
    `The engine's plan ${why}. Without it resources of other packages could not be held to what was approved; no file was written.`,
  );
}
