import { allInFlight, jsonOf } from "pulumi-page-guard/tools";
import { z } from "zod";
import { CommandError } from "../command-error";
import { runPulumi } from "../pulumi/run-pulumi";
import type { Session } from "../session";
import { readState } from "../state/read-state";
import { recordIn, stringIn } from "../values";
import type { ListedZone } from "../zones";

/** One zone of a fleet, and its stack. */
export type FleetZone = ListedZone & { readonly name: string };

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
  for (let page = 1; ; page += 1) {
    const { code, stdout, output } = await runPulumi(session, [
      ...["pulumi", "stack", "history", `--stack=${name}`, "--json", "--full-dates", "--non-interactive"],
      ...[`--page-size=${entriesAtOnce}`, `--page=${page}`],
    ]);
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
  const checked = await allInFlight(parallel, before, (zone) =>
    waitsFor(session, zone, afterMs, isDone(zone)),
  );
  const undone = checked.filter((one) => typeof one === "string");
  const more = undone.length < 2 ? "" : ` (and ${undone.length - 1} more)`;
  if (undone.length > maxFailures) return `waits: ${undone[0]}${more}`;
  const from = Math.max(0, ...checked.filter((one) => typeof one === "number"));
  return from > session.now() ? `waits until ${new Date(from).toISOString()}` : undefined;
}

/** Why a stack is not done; else the time from which on the next wave may begin for all it knows. */
async function waitsFor(
  session: Session,
  { name }: FleetZone,
  afterMs: number,
  isDone: boolean,
): Promise<string | number> {
  if (isDone && afterMs === 0) return 0;
  const history = (await historyOf(session, name)) ?? [];
  if (!isDone) {
    const last = history.find(({ kind }) => kind === "update");
    if (last?.result !== "succeeded") return `${name} is not done`;
    const preview = ["pulumi", "preview", `--stack=${name}`, "--expect-no-changes", "--non-interactive"];
    const { code } = await runPulumi(session, preview);
    if (code !== 0) return `${name} has changes to apply`;
  }
  if (afterMs === 0) return 0;
  // Since when policies log, and when a migration finished.
  const recorded = (await readState(session, { stack: name })).flatMap(
    ({ outputs: { loggingSince, finishedAt } = {} }) => [
      ...[loggingSince, finishedAt],
      ...Object.values(recordIn(loggingSince)),
    ],
  );
  const times = [lastChange(history)?.endTime, ...recorded].map((time) => Date.parse(stringIn(time) ?? ""));
  return Math.max(...times.filter((time) => !Number.isNaN(time))) + afterMs;
}
