import { parseJson } from "pulumi-page-guard/tools";
import * as z from "zod";
import { CommandError } from "../shared/command-error";
import type { Session } from "../shared/session";
import { runPulumi } from "./run-pulumi";

const historySchema = z.array(
  z.looseObject({
    kind: z.string(),
    message: z.string().optional(),
    result: z.string(),
    endTime: z.string().optional(),
    resourceChanges: z.record(z.string(), z.number()).nullish(),
  }),
);

/** An entry of `pulumi stack history`, which lists the latest entry first. */
export type HistoryEntry = z.output<typeof historySchema>[number];

/** Number of entries per page. The default of ten would need many pages after a few weeks of nightly refreshes. */
const entriesAtOnce = 50;

/** Reads the history of a stack back to its last change. Returns undefined if there is no such stack. @throws CommandError */
export async function readHistory(session: Session, name: string): Promise<HistoryEntry[] | undefined> {
  const command = ["pulumi", "stack", "history", `--stack=${name}`, "--json", "--full-dates"];
  const history: HistoryEntry[] = [];
  for (let page = 1; ; page += 1) {
    const paged = ["--non-interactive", `--page-size=${entriesAtOnce}`, `--page=${page}`];
    const { code, stdout, output } = await runPulumi(session, [...command, ...paged]);
    if (code !== 0 && /no stack named/.test(output)) return undefined;
    const entries = historySchema.safeParse(parseJson(stdout.trim() || "[]")).data;
    if (code !== 0 || !entries)
      throw new CommandError(
        `Failed to read the history of the stack ${name}. Run \`pulumi stack history --stack ${name}\` to see why.`,
      );
    history.push(...entries);
    if (entries.length < entriesAtOnce || lastChange(history) !== undefined) return history;
  }
}

export function lastChange(history: readonly HistoryEntry[]): HistoryEntry | undefined {
  return history.find(
    ({ kind, resourceChanges }) =>
      kind === "update" &&
      Object.entries(resourceChanges ?? {}).some(([op, count]) => op !== "same" && count > 0),
  );
}
