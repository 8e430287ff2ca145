import { connectionInput } from "../common-inputs";
import { inRun } from "../memory";
import { refuseOffline } from "../offline";
import { PartialFailureError } from "../partial-failure-error";
import type { Run } from "../run";
import { declaredAs, urnParts } from "../urn";
import type { ChangeCall } from "./step-compared";

interface What extends Pick<ChangeCall, "act" | "kind" | "inputs" | "recorded"> {
  readonly id?: string;
  readonly urn?: string;
}

/** Everything that may change a zone passes here. */
export async function changing<T>(run: Run, what: What, work: () => Promise<T>): Promise<T> {
  refuseOffline(run, `Nothing is ${what.act}d`);
  const approval = approvalOf(run);
  if (!approval) return work();
  const { id = "", inputs, recorded, kind, urn = "", act } = what;
  const { connection, zoneId: declaredZone } = act === "delete" ? recorded : inputs;
  const zoneId = id === "" ? String(declaredZone) : (id.split("/", 1)[0] ?? "");
  await approval.allow({
    ...{ act, kind, zoneId, id, urn, inputs, recorded },
    connection: connectionInput.optional().safeParse(connection).data,
  });
  const { name } = urnParts(urn);
  const said = `${declaredAs(kind, name === "" ? id : name)} of zone ${zoneId} ${act}d`;
  try {
    const result = await work();
    approval.note(said);
    return result;
  } catch (error) {
    if (error instanceof PartialFailureError) approval.note(`${said} in part`);
    throw error;
  }
}

const approvalOf = inRun((run) => {
  const { approved, env } = run.approval ?? {};
  if (approved === undefined || env === undefined) return undefined;
  // Runs without an approval, which most are, do not pay for it.
  const { Approval } = require("./approval") as typeof import("./approval");
  return new Approval(approved, env, run);
});
