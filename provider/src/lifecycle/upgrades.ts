import type { Properties } from "./kind";

/** Brings what one version has recorded of a resource into the form of the next one. `kind`: `CspPolicySet`. */
export type Upgrade = (state: Properties, kind: string) => Properties;

/**
 * The history of the recorded form: the step at place N reads what version N has written. A form that older code would
 * misread is a new version, and so a step at the end; docs/decisions/0014-versions-of-states.md says which are.
 */
export const upgrades: readonly Upgrade[] = [
  // Without a version: an import file that a person wrote. Nothing has another name there.
  (state) => state,
];
