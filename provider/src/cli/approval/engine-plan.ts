import { z } from "zod";
import { placesOf } from "../../lifecycle/approval/differing-places";
import { jsonOf } from "../../text/json-of";
import { readRegularFile } from "../../text/regular-file";
import { CommandError } from "../command-error";
import type { PulumiPreview } from "../pulumi/command-line";
import { isSecretMark } from "../state/secrets";
import { UsageError } from "../usage-error";
import { reasonOf } from "../zones";
import type { PreviewPlan } from "./plan";

/** What is read of it; measured with CLI 3.259. */
const planSchema = z.looseObject({
  manifest: z.looseObject({}),
  resourcePlans: z.record(z.string(), z.looseObject({ state: z.record(z.string(), z.unknown()).nullish() })),
});

export type EnginePlan = ReturnType<typeof readEnginePlan>;

const mostBytes = 64_000_000;

/** @throws CommandError for no plan, one of another stack, and one with secrets in plain text. */
export function readEnginePlan(file: string, { project, stack }: Pick<PreviewPlan, "project" | "stack">) {
  let text: string;
  try {
    text = readRegularFile(file, mostBytes).toString("utf8");
  } catch (error) {
    throw unusable(`cannot be read (${reasonOf(error)})`);
  }
  const plan = planSchema.safeParse(jsonOf(text)).data;
  if (!plan) throw unusable("is not output of `pulumi preview --save-plan`");
  const own = `urn:pulumi:${stack}::${project}::`;
  if (!Object.keys(plan.resourcePlans).every((urn) => urn.startsWith(own))) {
    throw unusable("belongs to another stack than the preview");
  }
  const open = placesOf(plan, (value) => isSecretMark(value) && Object.hasOwn(value, "plaintext"));
  if (open.length > 0) throw unusable("has secrets in plain text, from --show-secrets");
  return {
    text,
    /** A declared input, even where the events hide a part of it. Undefined for a secret one. */
    inputOf(urn: string, name: string): unknown {
      const value = plan.resourcePlans[urn]?.state?.[name];
      return placesOf(value, isSecretMark).length > 0 ? undefined : value;
    },
  };
}

export function refuseShownSecrets({ given }: PulumiPreview): void {
  if (given.has("show-secrets")) {
    throw new UsageError("Leave out --show-secrets: the approved file must not have secrets in plain text.");
  }
}

function unusable(why: string): CommandError {
  return new CommandError(
    `Failed to use the engine's plan: it ${why}. Without it resources of other packages could not be held to the approval; no file was written. Preview again.`,
  );
}
