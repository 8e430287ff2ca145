import type { Properties } from "../model/properties";
import { inRun } from "./memory";
import type { Run } from "./run";
import { longestFirst, type Secrets, type SecretTexts } from "./secret-inputs";

/** What `check` has learnt of a resource. */
interface Checked {
  readonly secrets: Secrets;
  /** The inputs of its last update. */
  readonly recorded?: Properties | undefined;
}

/**
 * The resources that `check` has seen in this process, by URN. A comparison of one of them belongs to an update; any other
 * to a refresh, whose comparisons come before the checks. A resource whose URN a transform has dropped is under an empty
 * one.
 */
export const checkedResources = inRun(() => new Map<string, Checked>());

/** What not to quote in failures of a resource: of all that were checked where it is not known which it is. */
export function secretTextsFor(run: Run, urn: string): SecretTexts {
  const checked = checkedResources(run);
  const own = urn === "" ? undefined : checked.get(urn);
  return longestFirst((own ? [own] : [...checked.values()]).flatMap(({ secrets }) => secrets.texts));
}
