import { runInFlight } from "pulumi-page-guard/tools";
import { lastChange, readHistory } from "../pulumi/history";
import { runPulumi } from "../pulumi/run-pulumi";
import type { PageFlags } from "../shared/options";
import type { Session } from "../shared/session";
import { asRecord, asString } from "../shared/values";
import type { ListedZone } from "../shared/zones";
import { readState } from "../state/read-state";

export type FleetAction = "preview" | "apply" | "drift" | "status";

/** Flags of all fleet commands. Each command has options for some of them. */
export interface FleetFlags extends PageFlags {
  readonly zones: string;
  readonly wave?: number;
  readonly only?: string;
  readonly parallel: number;
  readonly refresh?: boolean;
  readonly approve?: string;
  readonly approved?: string;
  readonly allow?: readonly string[];
  /** Number of zones that may fail or need attention. After more such zones, the fleet starts no further zone. */
  readonly maxFailures: number;
  readonly maxImpact: number;
  readonly after?: number;
  readonly wait: number;
}

/** A zone of a fleet. `name` is also the name of its stack. */
export type FleetZone = ListedZone & { readonly name: string };

/**
 * Returns the reason why the next wave must not start yet; undefined if it may start. At most `maxFailures` stacks of earlier
 * waves may be unfinished, and the finished stacks must not have changed in the last `after` milliseconds. A stack is finished if
 * `isDone` returns true, or if its last update succeeded and nothing is left to apply.
 */
export async function explainWait(
  session: Session,
  before: readonly FleetZone[],
  { after = 0, maxFailures, parallel }: Pick<FleetFlags, "after" | "maxFailures" | "parallel">,
  isDone: (zone: FleetZone) => boolean,
): Promise<string | undefined> {
  const checked = await runInFlight(parallel, before, (zone) => findWait(session, zone, after, isDone(zone)));
  const unfinished = checked.filter((one) => typeof one === "string");
  const more = unfinished.length < 2 ? "" : ` (and ${unfinished.length - 1} more)`;
  if (unfinished.length > maxFailures) return `waits: ${unfinished[0]}${more}`;
  const from = Math.max(0, ...checked.filter((one) => typeof one === "number"));
  return from > session.now() ? `waits until ${new Date(from).toISOString()}` : undefined;
}

/** Returns the reason why a stack is unfinished. If it is finished, returns the time at which the next wave may start. */
async function findWait(session: Session, { name }: FleetZone, after: number, isDone: boolean) {
  if (isDone && after === 0) return 0;
  const history = (await readHistory(session, name)) ?? [];
  if (!isDone) {
    const last = history.find(({ kind }) => kind === "update");
    if (last?.result !== "succeeded") return `${name} is not done`;
    const preview = ["pulumi", "preview", `--stack=${name}`, "--expect-no-changes", "--non-interactive"];
    const { code } = await runPulumi(session, preview);
    if (code !== 0) return `${name} has changes to apply, or its preview failed`;
  }
  if (after === 0) return 0;
  // The wave waits not only after changes in the history, but also after a policy has begun to log or a migration has finished.
  const recorded = (await readState(session, { stack: name })).flatMap(
    ({ outputs: { loggingSince: by, finishedAt } = {} }) => [by, finishedAt, ...Object.values(asRecord(by))],
  );
  const times = [lastChange(history)?.endTime, ...recorded].map((time) => Date.parse(asString(time) ?? ""));
  return Math.max(...times.filter((time) => !Number.isNaN(time))) + after;
}
