import type { ApprovedContent } from "../../lifecycle/approval/approved-file";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { eventSchema, type StepMetadata } from "../review/event-schema";
import { withoutColour } from "../review/read-events";
import { resourceText } from "./resource-text";

/** An update that was stopped after it had begun. Texts are safe to show. */
export interface Midway {
  readonly reasons: readonly string[];
  /** `created csp (CspPolicy)`. */
  readonly done: readonly string[];
}

const doneBy: Readonly<Record<string, string>> = {
  create: "created",
  "create-replacement": "created in place of another one",
  import: "imported",
  update: "updated",
  delete: "deleted",
  "delete-replaced": "deleted, replaced",
};

/** The engine's words for a violated plan. */
const byPlan =
  /violates plan: |is not allowed by the plan: |^expected resource operations for .* but none were seen/;
const byInputs = "properties changed: ";

/** Undefined if it failed for another reason. */
export function midwayOf(
  eventLines: readonly string[],
  { steps }: Pick<ApprovedContent, "steps">,
): Midway | undefined {
  const reasons = new Set<string>();
  const done: string[] = [];
  for (const line of eventLines) {
    const { diagnosticEvent, resOutputsEvent } = eventSchema.safeParse(jsonOf(line)).data ?? {};
    if (resOutputsEvent) done.push(...doneIn(resOutputsEvent.metadata));
    if (diagnosticEvent?.severity !== "error" || diagnosticEvent.ephemeral) continue;
    const text = withoutColour(diagnosticEvent.message);
    if (text.includes("[PG_NOT_APPROVED]")) reasons.add(forTerminal(text, 1500));
    else if (byPlan.test(text)) reasons.add(planText(text, diagnosticEvent.urn ?? "", steps));
  }
  return reasons.size === 0 ? undefined : { reasons: [...reasons], done };
}

/** Never the values: they may be secret. And only names of approved inputs, which no value can imitate. */
function planText(text: string, shownOn: string, steps: ApprovedContent["steps"]): string {
  const at = text.indexOf(byInputs);
  if (at < 0) return `${resourceText(shownOn)}, by the engine's plan: ${forTerminal(text, 600)}`;
  const [urn = shownOn] = /urn:pulumi:\S+(?= violates plan)/.exec(text.slice(0, at)) ?? [];
  const step = steps.find((one) => one.urn === urn);
  const names = Object.keys({ ...step?.before, ...step?.after }).filter((name) =>
    text.includes(`${name}[`, at),
  );
  const which = names.length === 0 ? "" : `: ${names.map((name) => forTerminal(name, 60)).join(", ")}`;
  return `the engine's plan has other inputs for ${resourceText(urn)}${which} (their values are not shown: they may be secret)`;
}

function doneIn({ op, urn, type }: StepMetadata): string[] {
  const said = doneBy[op];
  if (said === undefined || type === "pulumi:pulumi:Stack" || type.startsWith("pulumi:providers:")) return [];
  return [`${said} ${resourceText(urn)}`];
}
