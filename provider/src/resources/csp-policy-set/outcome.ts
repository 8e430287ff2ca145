import { CodedError } from "../../lifecycle/coded-error";
import { messageOf } from "../../lifecycle/message-of";
import { listed } from "../../text/listed";
import { shown } from "../../text/shown";
import type { Outcome } from "./apply";
import { pathOf } from "./set-findings";

/** How many failures are told in full. */
const most = 5;

/** Why a set could not be brought to what is declared, by key. */
export class SetFailure extends CodedError {
  constructor({ failed, left }: Outcome, all: number) {
    const told = [
      ...[...failed].map(([key, error]) => `${pathOf(key)}: ${messageOf(error)}`),
      ...[...left.values()].map(({ name, error }) => `the deletion of ${shown(name)}: ${messageOf(error)}`),
    ];
    const done = all - failed.size;
    super(
      "csp-set-incomplete",
      `${told.length} of the set's changes failed, ${done} of ${all} policies are as declared. The next up does the rest.\n${listed(told, { most, separator: "\n" })}`,
    );
    this.name = "SetFailure";
  }
}
