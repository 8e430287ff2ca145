import type { ApprovedContent } from "../approval/approved-file";
import { compareCarriedOut, inputsForProvider } from "../approval/carried-out";
import { forTerminal } from "../documents/escape";
import { type EngineEvent, parseEvents, readMessages } from "../preview/events";
import { optionsNotAsApproved } from "../preview/options";
import type { PreviewRead } from "../preview/preview-read";
import { readEvents } from "../preview/read-events";
import type { PulumiUp } from "../pulumi/command-line";
import { OwnFolder } from "../pulumi/own-folder";
import { runPulumi } from "../pulumi/run-pulumi";
import { resourceText } from "../shared/labels";
import type { Session } from "../shared/session";
import { distinct } from "../shared/values";
import { parseResources } from "../state/read-state";

const log = "events.jsonl";

/**
 * Runs the update with the plan of the engine (`--plan`). If the update violates the plan, the engine fails and prints the
 * planned and actual values with secrets in plain text. So this function shows only progress rows while the update runs. It shows
 * the other lines afterwards if the update succeeds or never begins, but only messages that are certainly safe if the update
 * fails. Callers must never show the returned `output`, because it may contain secrets.
 */
export async function update(
  session: Session,
  { up, exported }: PulumiUp,
  approved: ApprovedContent,
  planned: PreviewRead["steps"],
) {
  const folder = new OwnFolder();
  try {
    const plan = folder.write("plan.json", approved.plan);
    const inputs = folder.write("inputs.json", inputsForProvider(approved.steps, planned));
    let kept = "";
    let rest = "";
    /** Shows progress rows at once, and keeps all other lines for later. */
    const out = (part: string): void => {
      const lines = `${rest}${part}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line.length <= longestRow && row.test(line)) session.out(`${line}\n`);
        else kept += `${line}\n`;
      }
    };
    const { code, output, ...ended } = await runPulumi(
      session,
      [...up, "--plan", plan, "--event-log", folder.at(log)],
      // PULUMI_DEBUG_COMMANDS makes --event-log available. The Automation API also sets it.
      {
        env: { PULUMI_DEBUG_COMMANDS: "true", PAGE_GUARD_APPROVED_INPUTS: inputs },
        shown: { out, err: out },
      },
    );
    const lines = folder.lines(log);
    const events = [...parseEvents(lines)];
    const isCanceled =
      ended.isCanceled || events.some(({ stdoutEvent: one }) => bySignal.test(one?.message ?? ""));
    // Without events, the update has not begun (the stack may be locked), so no message is about the plan.
    const shown = events.length === 0 ? [kept + rest] : safeMessages(events, isCanceled);
    if (code === 0 || events.length === 0) session.out(kept + rest);
    else for (const text of shown) session.err(text);
    if (code !== 0)
      session.tell?.({ reason: shown.find((text) => text.startsWith("error: ")) ?? shown.join("") });
    return {
      code,
      output,
      midway: code === 0 ? undefined : describeStop(events, approved.steps, isCanceled),
      ...compareCarriedOut(approved.steps, readEvents(lines)),
      options: events.length === 0 ? [] : await otherOptions(session, exported, approved),
      /** Whether the engine crashed or was killed. If an update merely fails, the engine still writes a summary. */
      isCutOff: events.length > 0 && !events.some(({ summaryEvent }) => summaryEvent),
    };
  } finally {
    folder.close();
  }
}

/** Describes resource options in the state that differ from the approved options. Safe to show. */
async function otherOptions(
  session: Session,
  exported: readonly string[],
  { options = {} }: ApprovedContent,
): Promise<readonly string[]> {
  if (Object.keys(options).length === 0) return [];
  const state = parseResources((await runPulumi(session, exported)).stdout);
  return state
    ? optionsNotAsApproved(options, state)
    : ["the state cannot be exported, so the resource options were not compared"];
}

/** Matches a line that is only a row of the engine's progress, and so contains no values. */
const row =
  /^(@ updating\.*|[ +\-~*<>=]{2,4}\s*\S+:\S+ \S+ [a-z -]+( \([\d.]+s\))?\s*(\[diff: [\w~+,-]*\])?)\s*$/;

/** Maximum length of a row. Longer lines are not tested, because the time to match grows with the square of the length. */
const longestRow = 1000;

/**
 * Returns messages that are certainly not about a violated plan: messages that end with a code of this package, the message that
 * the update was canceled, and messages about resources for which the engine has already called the provider. The engine compares
 * a resource with the plan before it calls the provider.
 */
function safeMessages(events: readonly EngineEvent[], isCanceled: boolean): readonly string[] {
  const called = new Set(events.flatMap(({ resOpFailedEvent }) => resOpFailedEvent?.metadata.urn ?? []));
  const messages = events.flatMap(readMessages).filter(({ severity }) => severity !== "info");
  const safe = messages.filter(
    ({ urn = "", text }) =>
      called.has(urn) || text === canceled || (ownCode.test(text) && !byPlan.test(text)),
  );
  const hasError = (list: typeof messages): boolean => list.some(({ severity }) => severity === "error");
  // After a signal, the engine's only errors are about resources that it did not reach, so report the cancellation instead.
  const hidden = isCanceled
    ? `error: the stack: ${canceled}\n`
    : "The engine's messages are not shown, because they can contain secrets in plain text if an update violates its plan.\n";
  return distinct([
    ...safe.map(
      ({ severity, urn = "", text }) => `${severity}: ${resourceText(urn)}: ${forTerminal(text, 4000)}\n`,
    ),
    hasError(messages) && !hasError(safe) ? hidden : undefined,
  ]);
}

/** Message that the engine prints after a signal. */
const canceled = "update canceled";

/** Matches the engine's message about a signal that somebody has sent to `pulumi` itself. */
const bySignal = /^(\^C|SIGTERM) received; cancelling/;

const ownCode = / \[(PG_[A-Z_]+|[a-z]+(-[a-z]+)+)\]$/;

/**
 * Matches the engine's messages about a violated plan. They do not end with a code, so in `safeMessages` this pattern is only a
 * second safeguard.
 */
const byPlan = /violates plan: |is not allowed by the plan: /;

/** Matches the message about a step that the engine did not reach. Such a step violates the plan only if nothing else failed. */
const notReached = /^expected resource operations for .* but none were seen/;

/** Matches the provider's errors about approved inputs that a policy pack has changed. */
const byProvider = / \[remediation-(refused|not-approved)\]$/;

/** Describes an update that its plan or the provider stopped; undefined if the update failed for another reason. Safe to show. */
function describeStop(events: readonly EngineEvent[], steps: ApprovedContent["steps"], isCanceled: boolean) {
  const errors = events.flatMap(readMessages).filter(({ severity }) => severity === "error");
  const isViolation = ({ text }: { text: string }): boolean => byPlan.test(text) || byProvider.test(text);
  const isOther = (one: { text: string }): boolean => !isViolation(one) && !notReached.test(one.text);
  const hasFailed =
    isCanceled || errors.some(isOther) || events.some(({ resOpFailedEvent }) => resOpFailedEvent);
  const violations = errors.filter((one) => isViolation(one) || (!hasFailed && notReached.test(one.text)));
  if (violations.length === 0) return undefined;
  const refused = new Set(errors.filter(({ text }) => byProvider.test(text)).map(({ urn }) => urn));
  return {
    reasons: distinct(violations.map(({ urn = "", text }) => planText(text, urn, steps))),
    /**
     * Changes that were made, such as `created csp (CspPolicy)`. A step that failed may have made some of its changes, unless the
     * provider refused its inputs.
     */
    done: events.flatMap(({ resOutputsEvent, resOpFailedEvent: failed }) => {
      const { op = "", urn = "", type = "" } = (resOutputsEvent ?? failed)?.metadata ?? {};
      const [, verb] = /^(create|import|update|delete)\b/.exec(op) ?? [];
      const isOfEngine = /^pulumi:(pulumi:Stack$|providers:)/.test(type);
      if (verb === undefined || isOfEngine || (failed && refused.has(urn))) return [];
      const what = failed ? `tried to ${verb}` : verb.replace(/e?$/, "ed");
      return `${what} ${resourceText(urn)}`;
    }),
  };
}

/** Describes a violation without quoting the engine, whose message contains values. Names only inputs in the approval. */
function planText(text: string, shownOn: string, steps: ApprovedContent["steps"]): string {
  const [urn = shownOn] = /urn:pulumi:\S+(?= violates plan| but none were seen)/.exec(text) ?? [];
  if (byProvider.test(text) && !byPlan.test(text)) return `${resourceText(urn)}: ${forTerminal(text, 1000)}`;
  const at = text.indexOf("properties changed: ");
  if (at < 0) return `the update does not follow the engine's plan for ${resourceText(urn)}`;
  const step = steps.find((one) => one.urn === urn);
  const names = Object.keys({ ...step?.before, ...step?.after })
    .filter((name) => text.includes(`${name}[`, at))
    .map((name) => forTerminal(name, 60));
  const which = names.length === 0 ? "" : `: ${names.join(", ")}`;
  return `the engine's plan has other inputs for ${resourceText(urn)}${which} (their values are not shown, because they may be secret)`;
}
