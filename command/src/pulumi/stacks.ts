import { parseJson } from "pulumi-page-guard/tools";
import * as z from "zod";
import type { Session } from "../shared/session";
import { runPulumi } from "./run-pulumi";

const stacksSchema = z.array(z.looseObject({ name: z.string(), resourceCount: z.number().nullish() }));

/** Lists the stacks of the project that have resources, by their short names. Empty if the CLI can't list them. */
export async function listStacks(session: Session): Promise<readonly string[]> {
  const command = ["pulumi", "stack", "ls", "--json", "--non-interactive"];
  const listed = await runPulumi(session, command).catch(() => undefined);
  const stacks = stacksSchema.safeParse(parseJson(listed?.stdout ?? "")).data ?? [];
  return stacks
    .filter(({ resourceCount }) => (resourceCount ?? 0) > 0)
    .map(({ name }) => name.slice(name.lastIndexOf("/") + 1));
}
