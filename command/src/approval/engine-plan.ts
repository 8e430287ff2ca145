import { jsonOf, readRegularFile, z } from "pulumi-page-guard/tools";
import { CommandError } from "../command-error";
import { isSecretMark } from "../state/secrets";
import { reasonOf } from "../zones";
import type { ApprovedContent } from "./approved-file";
import { placesOf } from "./places";

const dependencies = z.record(z.string(), z.array(z.string()).nullable()).nullish();
const goal = z.looseObject({ propertyDependencies: dependencies }).nullish();
/** What is read of it; measured with CLI 3.259. */
const planSchema = z.looseObject({
  manifest: z.looseObject({}),
  resourcePlans: z.record(z.string(), z.looseObject({ goal })),
});

const mostBytes = 64_000_000;

/** The text of the engine's plan. @throws CommandError for no plan, one of another stack, and one with secrets in plain text. */
export function readEnginePlan(
  file: string,
  { project, stack }: Pick<ApprovedContent, "project" | "stack">,
): string {
  const unusable = (why: string): CommandError =>
    new CommandError(
      `Failed to use the engine's plan: it ${why}. Nothing would hold the update to the approval; no file was written. Preview again.`,
    );
  let text: string;
  try {
    text = readRegularFile(file, mostBytes).toString("utf8");
  } catch (error) {
    throw unusable(`cannot be read (${reasonOf(error)})`);
  }
  const plan = planSchema.safeParse(jsonOf(text)).data;
  if (!plan) throw unusable("is not output of `pulumi preview --save-plan`");
  const own = `urn:pulumi:${stack}::${project}::`;
  if (!Object.keys(plan.resourcePlans).every((urn) => urn.startsWith(own)))
    throw unusable("belongs to another stack than the preview");
  const open = placesOf(plan, (value) => isSecretMark(value) && Object.hasOwn(value, "plaintext"));
  if (open.length > 0) throw unusable("has secrets in plain text, from --show-secrets");
  return text;
}

/** URNs of the resources that an input depends on, as the plan has it. */
export function dependenciesOf(plan: string, urn: string, input: string): readonly string[] {
  const { resourcePlans = {} } = planSchema.safeParse(jsonOf(plan)).data ?? {};
  return resourcePlans[urn]?.goal?.propertyDependencies?.[input] ?? [];
}
