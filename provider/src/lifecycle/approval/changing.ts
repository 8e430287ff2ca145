import { connectionInput } from "../common-inputs";
import { declaredAs } from "../declared-as";
import type { Properties } from "../kind";
import { refuseOffline } from "../offline";
import { PartialFailure } from "../partial-failure";
import type { Run } from "../run";
import { urnParts } from "../urn";
import type { Change } from "./change";

const key = Symbol("approval");

/** The one door of everything that may change a zone. */
export async function changing<T>(
  run: Run,
  what: Pick<Change, "act" | "kind" | "urn"> & { readonly id?: string; readonly inputs: Properties },
  work: () => Promise<T>,
): Promise<T> {
  refuseOffline(run, `Nothing is ${what.act}d`);
  const approval = approvalOf(run);
  if (!approval) return work();
  const { id = "", inputs, kind, urn, act } = what;
  const zoneId = id === "" ? String(inputs["zoneId"]) : (id.split("/", 1)[0] ?? "");
  const connection = connectionInput.optional().safeParse(inputs["connection"]).data;
  await approval.allow({ act, kind, zoneId, id, urn, inputs, connection });
  const { name } = urnParts(urn);
  const said = `${declaredAs(kind, name === "" ? id : name)} of zone ${zoneId} ${act}d`;
  try {
    const result = await work();
    approval.note(said);
    return result;
  } catch (error) {
    if (error instanceof PartialFailure) approval.note(`${said} in part`);
    throw error;
  }
}

function approvalOf(run: Run) {
  const { approved, env } = run.approval ?? {};
  if (approved === undefined || env === undefined) return undefined;
  // Runs without an approval, which most are, do not pay for it.
  const { Approval } = require("./approval") as typeof import("./approval");
  return run.memory(key, () => new Approval(approved, env, run));
}
