import type { ApprovedContent } from "../../lifecycle/approval/approved-file";
import { digestKeyVariable } from "../../lifecycle/approval/keyed-digest";
import type { Session } from "../session";
import { type Midway, midwayOf } from "./midway";
import { OwnFolder } from "./own-folder";
import { runPulumi } from "./run-pulumi";
import { untilPlanIsViolated } from "./until-plan-is-violated";

/** What an update is held to. */
export interface Held {
  readonly content: ApprovedContent;
  readonly digestKey: string | undefined;
  /** Of the approved file: */
  readonly sha256: string;
  /** where it is already, */
  readonly file?: string;
  /** or its text, which is written for the update. */
  readonly text?: string;
}

export interface Updated {
  readonly code: number;
  readonly output: string;
  /** Why it was refused as something that was not approved, and what had been done by then. */
  readonly midway: Midway | undefined;
}

const log = "events.jsonl";

/**
 * Runs the update under the approved file, for the provider process, and under the engine's plan, for resources of other
 * packages. The folder is new: nothing that a preview has started knows it.
 */
export async function update(session: Session, command: readonly string[], held: Held): Promise<Updated> {
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
          // The flag for the events is there for the Automation API, which asks for it in this way.
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
