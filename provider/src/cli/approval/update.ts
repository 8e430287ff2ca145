import type { ApprovedContent } from "../../lifecycle/approval/approved-file";
import { digestKeyVariable } from "../../lifecycle/approval/keyed-digest";
import type { Session } from "../session";
import { midwayOf } from "./midway";
import { OwnFolder } from "./own-folder";
import { runPulumi } from "./run-pulumi";

/** What an update is held to. */
export interface Held {
  readonly content: ApprovedContent;
  readonly digestKey: string | undefined;
  /** Of the approved file: */
  readonly sha256: string;
  /** an existing one, */
  readonly file?: string;
  /** or its text, which is written for the update. */
  readonly text?: string;
}

const log = "events.jsonl";

/**
 * Runs the update under the approved file, for the provider process, and under the engine's plan, for resources of other
 * packages. The folder is new: nothing that a preview has started knows it. `midway`: why it was stopped as not approved, and
 * what was done by then.
 */
export async function update(session: Session, command: readonly string[], held: Held) {
  const folder = new OwnFolder();
  try {
    const plan = folder.write("plan.json", held.content.plan);
    const shown = untilPlanIsViolated(session);
    const { code, output } = await runPulumi(
      session,
      [...command, "--plan", plan, "--event-log", folder.at(log)],
      {
        env: {
          PAGE_GUARD_APPROVED: held.file ?? folder.write("approved.json", held.text ?? ""),
          PAGE_GUARD_APPROVED_SHA256: held.sha256,
          [digestKeyVariable]: held.digestKey,
          // Unlocks --event-log, as the Automation API does.
          PULUMI_DEBUG_COMMANDS: "true",
        },
        shown,
      },
    );
    shown.end();
    return { code, output, midway: code === 0 ? undefined : midwayOf(folder.lines(log), held.content) };
  } finally {
    folder.close();
  }
}

/** After this the engine prints the values of both sides, secrets among them. */
const mark = " violates plan: ";

/**
 * Shows the output line by line until the engine says that its plan is violated, and nothing after that: nobody can tell
 * where a secret of several lines ends. The events have what is needed of the rest.
 */
export function untilPlanIsViolated(session: Pick<Session, "out" | "err">) {
  const [out, err] = [lineByLine((line) => session.out(line)), lineByLine((line) => session.err(line))];
  return {
    out: (part: string) => out(part),
    err: (part: string) => err(part),
    end(): void {
      out("", true);
      err("", true);
    },
  };
}

function lineByLine(show: (line: string) => void) {
  let rest = "";
  let isOver = false;
  return (part: string, isLast = false): void => {
    const lines = `${rest}${part}`.split(/(?<=\n)/);
    rest = isLast || lines.at(-1)?.endsWith("\n") ? "" : (lines.pop() ?? "");
    for (const line of lines) {
      isOver ||= line.includes(mark);
      if (!isOver && line !== "") show(line);
    }
  };
}
