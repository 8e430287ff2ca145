import { jsonOf } from "pulumi-page-guard/tools";
import { type EngineEvent, eventSchema, type StepMetadata } from "../preview/event-schema";
import { withoutColour } from "../preview/read-events";
import { OwnFolder } from "../pulumi/own-folder";
import { runPulumi } from "../pulumi/run-pulumi";
import { forTerminal } from "../reports/escape";
import type { Session } from "../session";
import { distinct } from "../values";
import type { ApprovedContent } from "./approved-file";
import { resourceText } from "./resource-text";

/** An update that was stopped by its plan. Texts are safe to show. */
export interface Midway {
  readonly reasons: readonly string[];
  /** `created csp (CspPolicy)`. */
  readonly done: readonly string[];
}

interface Updated {
  readonly code: number;
  /** Not to be shown. */
  readonly output: string;
  readonly midway: Midway | undefined;
}

type Approved = Pick<ApprovedContent, "plan" | "steps">;

const log = "events.jsonl";

/**
 * Runs the update under the engine's plan. The engine prints the values of both sides where its plan is violated, secrets in
 * plain text, and ends with an error then. So only what is surely safe is shown before the end, and after a failure.
 */
export async function update(
  session: Session,
  command: readonly string[],
  approved: Approved,
): Promise<Updated> {
  const folder = new OwnFolder();
  try {
    const plan = folder.write("plan.json", approved.plan);
    const sieve = new Sieve(session);
    const { code, output } = await runPulumi(
      session,
      [...command, "--plan", plan, "--event-log", folder.at(log)],
      // Unlocks --event-log, as the Automation API does.
      { env: { PULUMI_DEBUG_COMMANDS: "true" }, shown: sieve },
    );
    const events = folder.lines(log).flatMap((line) => eventSchema.safeParse(jsonOf(line)).data ?? []);
    // Without an event it has not begun, and no plan was compared: the stack is locked, or there is none.
    if (code === 0 || events.length === 0) sieve.showAll();
    else for (const text of safeMessages(events)) session.err(text);
    return { code, output, midway: code === 0 ? undefined : midwayOf(events, approved) };
  } finally {
    folder.close();
  }
}

/** A row of the engine's progress that is nothing but that. */
const row =
  /^(@ updating\.*|[ +\-~*<>=]{2,4}\s*\S+:\S+ \S+ [a-z -]+( \([\d.]+s\))?\s*(\[diff: [\w~+,-]*\])?)\s*$/;

/** Shows rows as they come, and keeps all other lines of the output. */
class Sieve {
  #kept = "";
  #rest = "";

  constructor(private readonly session: Pick<Session, "out">) {}

  out(part: string): void {
    const lines = `${this.#rest}${part}`.split(/(?<=\n)/);
    this.#rest = lines.at(-1)?.endsWith("\n") ? "" : (lines.pop() ?? "");
    for (const line of lines) {
      if (row.test(line)) this.session.out(line);
      else this.#kept += line;
    }
  }

  err(part: string): void {
    this.out(part);
  }

  showAll(): void {
    this.session.out(`${this.#kept}${this.#rest}`);
  }
}

/**
 * Messages that no plan has written: of resources whose provider was called, which a violated plan prevents, and those with a
 * code of this package at their end.
 */
function safeMessages(events: readonly EngineEvent[]): readonly string[] {
  const called = new Set(events.flatMap(({ resOpFailedEvent }) => resOpFailedEvent?.metadata.urn ?? []));
  const messages = messagesIn(events);
  const safe = messages.filter(({ urn, text }) => called.has(urn) || ownCode.test(text));
  const isError = ({ severity }: Message): boolean => severity === "error";
  const texts = safe.map(
    (one) => `${one.severity}: ${resourceText(one.urn)}: ${forTerminal(one.text, 4000)}\n`,
  );
  if (messages.some(isError) && !safe.some(isError))
    texts.push(
      "The messages of the engine are not shown: where a plan is violated they contain secrets in plain text.\n",
    );
  return texts;
}

const ownCode = / \[(PG_[A-Z_]+|[a-z]+(-[a-z]+)+)\]$/;

interface Message {
  readonly severity: string;
  readonly urn: string;
  readonly text: string;
}

function messagesIn(events: readonly EngineEvent[]): Message[] {
  const messages = events.flatMap(({ diagnosticEvent: one }): Message[] =>
    one && !one.ephemeral && (one.severity === "error" || one.severity === "warning")
      ? [{ severity: one.severity, urn: one.urn ?? "", text: withoutColour(one.message) }]
      : [],
  );
  return [...new Map(messages.map((one) => [JSON.stringify(one), one])).values()];
}

/** The engine's words for a violated plan. They decide on the exit code alone, not on what is shown. */
const byPlan =
  /violates plan: |is not allowed by the plan: |^expected resource operations for .* but none were seen/;

/** Undefined if it failed for another reason. */
function midwayOf(events: readonly EngineEvent[], { steps }: Pick<Approved, "steps">): Midway | undefined {
  const violations = messagesIn(events).filter(
    ({ severity, text }) => severity === "error" && byPlan.test(text),
  );
  if (violations.length === 0) return undefined;
  return {
    reasons: distinct(violations.map(({ urn, text }) => planText(text, urn, steps))),
    done: events.flatMap(({ resOutputsEvent }) => (resOutputsEvent ? doneIn(resOutputsEvent.metadata) : [])),
  };
}

/** Never the engine's text. And only names of approved inputs, which no value can imitate. */
function planText(text: string, shownOn: string, steps: Approved["steps"]): string {
  const [urn = shownOn] = /urn:pulumi:\S+(?= violates plan| but none were seen)/.exec(text) ?? [];
  const at = text.indexOf("properties changed: ");
  if (at < 0) return `the engine's plan has something else, or nothing, for ${resourceText(urn)}`;
  const step = steps.find((one) => one.urn === urn);
  const names = Object.keys({ ...step?.before, ...step?.after })
    .filter((name) => text.includes(`${name}[`, at))
    .map((name) => forTerminal(name, 60));
  const which = names.length === 0 ? "" : `: ${names.join(", ")}`;
  return `the engine's plan has other inputs for ${resourceText(urn)}${which} (their values are not shown: they may be secret)`;
}

const doneBy: Readonly<Record<string, string>> = {
  create: "created",
  "create-replacement": "created in place of another one",
  import: "imported",
  update: "updated",
  delete: "deleted",
  "delete-replaced": "deleted, replaced",
};

function doneIn({ op, urn, type }: StepMetadata): string[] {
  const said = doneBy[op];
  if (said === undefined || type === "pulumi:pulumi:Stack" || type.startsWith("pulumi:providers:")) return [];
  return [`${said} ${resourceText(urn)}`];
}
