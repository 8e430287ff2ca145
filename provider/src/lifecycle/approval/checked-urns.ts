import type { Run } from "../run";

const key = Symbol("checked urns");

/** Of the resources that were checked in this process: they name its stack. */
export function checkedUrns(run: Run): Set<string> {
  return run.memory(key, () => new Set<string>());
}
