import { inFlight, jsonOf, z } from "pulumi-page-guard/tools";
import { CommandError } from "../command-error";
import { runPulumi } from "../pulumi/run-pulumi";
import type { Session } from "../session";
import { readState } from "../state/read-state";
import { recordIn, stringIn } from "../values";
import type { FleetZone } from "./zones-file";

const historySchema = z.array(
  z.looseObject({
    kind: z.string(),
    message: z.string().optional(),
    result: z.string(),
    endTime: z.string().optional(),
    resourceChanges: z.record(z.string(), z.number()).nullish(),
  }),
);

/** One entry of `pulumi stack history`, the latest first. */
export type HistoryEntry = z.output<typeof historySchema>[number];

/** The CLI gives ten unless it is asked for more: as many as nightly refreshes have soon filled. */
const entriesAtOnce = 50;

/** As far back as the last update that changed something. Undefined where there is no such stack. @throws CommandError */
export async function historyOf(
  session: Session,
  name: string,
): Promise<readonly HistoryEntry[] | undefined> {
  const history: HistoryEntry[] = [];
  const common = [
    "pulumi",
    "stack",
    "history",
    `--stack=${name}`,
    "--json",
    "--full-dates",
    "--non-interactive",
  ];
  for (let page = 1; ; page += 1) {
    const command = [...common, `--page-size=${entriesAtOnce}`, `--page=${page}`];
    const { code, stdout, output } = await runPulumi(session, command);
    if (code !== 0 && /no stack named/.test(output)) return undefined;
    const entries = historySchema.safeParse(jsonOf(stdout.trim() || "[]")).data;
    if (code !== 0 || !entries)
      throw new CommandError(
        `Failed to read the history of the stack ${name}. Run \`pulumi stack history --stack ${name}\` to see why.`,
      );
    history.push(...entries);
    if (entries.length < entriesAtOnce || lastChange(history) !== undefined) return history;
  }
}

/** The latest update that changed something. */
export function lastChange(history: readonly HistoryEntry[]): HistoryEntry | undefined {
  return history.find(
    ({ kind, resourceChanges }) =>
      kind === "update" &&
      Object.entries(resourceChanges ?? {}).some(([op, count]) => op !== "same" && count > 0),
  );
}

/** Times that the resources of the stack recorded: since when policies log, and when a migration finished. */
async function recordedTimes(session: Session, name: string): Promise<readonly string[]> {
  const state = await readState(session, { stack: name });
  return state.flatMap(({ outputs = {} }) => {
    const { loggingSince, finishedAt } = outputs;
    return [loggingSince, finishedAt, ...Object.values(recordIn(loggingSince))].flatMap(
      (time) => stringIn(time) ?? [],
    );
  });
}

/**
 * Why the next wave may not begin; undefined where it may. Each stack before it has nothing left to do, its last update
 * succeeded, and `afterMs` have passed since anything changed in it. So many stacks may be otherwise.
 */
export async function notYet(
  session: Session,
  before: readonly FleetZone[],
  { afterMs, maxFailures, parallel }: { afterMs: number; maxFailures: number; parallel: number },
  isDone: (zone: FleetZone) => boolean,
): Promise<string | undefined> {
  const checked = await inFlight(parallel, before, async (zone) => {
    const { name } = zone;
    if (isDone(zone) && afterMs === 0) return {};
    const history = (await historyOf(session, name)) ?? [];
    const last = history.find(({ kind }) => kind === "update");
    if (!isDone(zone)) {
      if (last?.result !== "succeeded") return { why: `${name} is not done` };
      const preview = ["pulumi", "preview", `--stack=${name}`, "--expect-no-changes", "--non-interactive"];
      const { code } = await runPulumi(session, preview);
      if (code !== 0) return { why: `${name} has changes to apply` };
    }
    if (afterMs === 0) return {};
    const times = [lastChange(history)?.endTime ?? "", ...(await recordedTimes(session, name))].map(
      Date.parse,
    );
    const from = Math.max(...times.filter((time) => !Number.isNaN(time))) + afterMs;
    return from > session.now() ? { why: `${name} changed less than --after ago`, from } : {};
  });
  const all = checked.map(
    ({ item, result }) => result ?? { why: `the history of ${item.name} could not be read` },
  );
  const early = Math.max(...all.map(({ from = 0 }) => from), 0);
  const undone = all.filter(({ why, from }) => why !== undefined && from === undefined);
  const more = undone.length < 2 ? "" : ` (and ${undone.length - 1} more)`;
  if (undone.length > maxFailures) return `waits: ${undone[0]?.why}${more}`;
  return early === 0 ? undefined : `waits until ${new Date(early).toISOString()}`;
}
