import { type AuditReport, reportSchema } from "../../reports/audit/report-data";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { CommandError } from "../command-error";
import { ofStack, readText } from "../read-text";
import type { Session } from "../session";

/** @throws CommandError for what is no JSON report of this command. */
export async function readSince(session: Session, file: string): Promise<AuditReport> {
  const text = await readText(session, file, ofStack);
  const refuse = (why: string): CommandError =>
    new CommandError(
      `Failed to compare with ${forTerminal(file)}: ${why}. Give --since what --format json has written.`,
    );
  const value = jsonOf(text);
  if (value === undefined) throw refuse("it is not JSON");
  const parsed = reportSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refuse(`at ${forTerminal(issue?.path.map(String).join(".") || "its top")}, ${issue?.message ?? "?"}`);
}
