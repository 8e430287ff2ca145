import { parseJson } from "pulumi-page-guard/tools";
import * as z from "zod";
import type { Session } from "../shared/session";
import { runPulumi } from "./run-pulumi";

const stacksSchema = z.array(z.looseObject({ name: z.string(), resourceCount: z.number().nullish() }));

/** Returns the short names of the project's stacks that have resources. Returns an empty list if the CLI fails. */
export async function listStacks(session: Session): Promise<readonly string[]> {
  const command = ["pulumi", "stack", "ls", "--json", "--non-interactive"];
  const listed = await runPulumi(session, command).catch(() => undefined);
  const stacks = stacksSchema.safeParse(parseJson(listed?.stdout ?? "")).data ?? [];
  return stacks
    .filter(({ resourceCount }) => (resourceCount ?? 0) > 0)
    .map(({ name }) => name.slice(name.lastIndexOf("/") + 1));
}
