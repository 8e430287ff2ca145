import { CodedError } from "./coded-error";
import type { Properties } from "./kind";

/** The version that this code writes. Each step of `upgrades` leads from its number to the next one. */
export const schemaVersion = 1;

const upgrades: Readonly<Record<number, (state: Properties) => Properties>> = {
  // State without a version comes from an import file that a person wrote: nothing to rename yet.
  0: (state) => state,
};

/** Old state in the shape of today. State of a newer version is refused: reading it would lose what it added. */
export function upgradeState(state: Properties): Properties {
  const found = state["schemaVersion"];
  let version = typeof found === "number" ? found : 0;
  if (version > schemaVersion) {
    throw new CodedError(
      "state-of-newer-version",
      `The state of this resource was written by a newer pulumi-page-guard (schema ${version}, this one knows ${schemaVersion}). Install the version that the last update was made with, or a newer one.`,
    );
  }
  let upgraded = state;
  while (version < schemaVersion) {
    upgraded = upgrades[version]?.(upgraded) ?? upgraded;
    version += 1;
  }
  return { ...upgraded, schemaVersion };
}

/** The engine refuses `undefined` at any depth; an absent property is how a state says so. */
export function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .map(([name, entry]) => [name, withoutUndefined(entry)]),
  );
}
