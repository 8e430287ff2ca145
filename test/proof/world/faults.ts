import type { FaultSpec } from "../../../simulator/src";
import { token } from "./household";
import { type Scenario, tokenMark } from "./story";

/** What a gateway before the service does to each answer of a kind. One that sends a DELETE again sees 404. */
export const gateways: Readonly<Record<Scenario["gateway"], readonly FaultSpec[]>> = {
  plain: [],
  "repeats deletes": [{ method: "DELETE", kind: "status", status: 404, when: "after" }],
};

export function withToken(fault: FaultSpec): FaultSpec {
  return "message" in fault && fault.message !== undefined
    ? { ...fault, message: fault.message.replace(tokenMark, token) }
    : fault;
}
