import { ZodError } from "zod";
import type { Properties } from "../model/properties";
import { declaredKind } from "../model/urn";
import { shown } from "../text/shown";
import { pathText } from "./check-inputs";
import { CodedError } from "./coded-error";
import { withoutHidden } from "./hidden-inputs";
import type { Kind } from "./kind";

/** Brings what one version has recorded of a resource into the form of the next one. `kind`: `CspPolicySet`. */
type Upgrade = (state: Properties, kind: string) => Properties;

/**
 * The history of the recorded form: the step at place N reads what version N has written. A form that older code would
 * misread is a new version, and so a step at the end; docs/decisions/0014-versions-of-states.md says which are.
 */
const upgrades: readonly Upgrade[] = [
  // Without a version: an import file that a person wrote. Nothing has another name there.
  (state) => state,
];

/** The version that this code writes: there is none that it could not read. */
const schemaVersion = upgrades.length;

/**
 * A state in today's form. State of a newer version is refused: reading it would lose what that one
 * added. `steps` are the package's own but in tests.
 *
 * @throws CodedError
 */
export function upgradeState(
  state: Properties,
  kind: string,
  steps: readonly Upgrade[] = upgrades,
): Properties {
  const { schemaVersion: found = 0 } = state;
  const version = typeof found === "number" && Number.isInteger(found) && found >= 0 ? found : undefined;
  if (version === undefined || version > steps.length) {
    throw new CodedError(
      "state-of-newer-version",
      `Failed to read the state of this resource: it was written by a newer pulumi-page-guard (schema ${version ?? "unknown"}, this one knows ${steps.length}). Install the version that the last update was made with, or a newer one.`,
    );
  }
  const upgraded = steps.slice(version).reduce((read, step) => step(read, kind), withoutHidden(state));
  return { ...upgraded, schemaVersion: steps.length };
}

type StateOf<State> = Pick<Kind<unknown, State>, "name" | "parseState">;

export function readState<State>(kind: StateOf<State>, recorded: Properties): State {
  return readInputs(kind, upgradeState(recorded, kind.name));
}

/** The recorded inputs, which carry no version: they are a part of the state, and kept beside it. */
export function readInputs<State>(kind: StateOf<State>, recorded: Properties): State {
  return asRecorded(`this ${declaredKind(kind.name)}`, () => kind.parseState(recorded));
}

/** A state that this code has made, with its version. */
export function withVersion(state: object): Properties {
  return { ...state, schemaVersion };
}

/** How many places of a damaged state a message names. */
const mostPlaces = 5;

/**
 * Reads something of the state with a schema.
 *
 * @throws CodedError for what no version of this package writes. It quotes no value: one may be secret.
 */
export function asRecorded<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const places = error.issues.map(({ path }) => shown(pathText(path), { max: 80 }));
    const more = places.length > mostPlaces ? ` and ${places.length - mostPlaces} more` : "";
    throw new CodedError(
      "state-unreadable",
      `Failed to read the state of ${what}: this is not what pulumi-page-guard writes: ${places.slice(0, mostPlaces).join(", ")}${more}. It was edited or damaged. Put an earlier checkpoint back (pulumi stack import), or take the resource out of the state (pulumi state delete) and import it again.`,
    );
  }
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
