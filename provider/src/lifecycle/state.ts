import { ZodError } from "zod";
import { CodedError } from "../errors/coded-error";
import type { Properties } from "../model/properties";
import { declaredKind } from "../model/urn";
import { cleanList } from "../text/shown";
import { withoutHidden } from "./hidden-inputs";
import type { Kind } from "./kind";
import { pathText } from "./wrong-inputs";

/** Converts the state of a resource from one version to the next. `kind`: name of the resource's kind, such as `CspPolicySet`. */
type Upgrade = (state: Properties, kind: string) => Properties;

/**
 * Upgrades of states: the step at index N converts a state of version N. A format that older code would misread needs a new
 * version, and so a new step at the end; see docs/decisions/0014-versions-of-states.md.
 */
const upgrades: readonly Upgrade[] = [
  // A state without a version comes from an import file that a person wrote, or from the read of a `get` or an import. Its
  // properties have the current names.
  (state) => state,
];

const schemaVersion = upgrades.length;

/**
 * Converts a state to the current format. `steps`: only tests pass their own.
 *
 * @throws CodedError if a newer version wrote the state, because an update would lose what that version added, or if
 * its version is no number that this package writes
 */
export function upgradeState(
  state: Properties,
  kind: string,
  steps: readonly Upgrade[] = upgrades,
): Properties {
  const { schemaVersion: found = 0 } = state;
  const version = typeof found === "number" && Number.isInteger(found) && found >= 0 ? found : undefined;
  if (version === undefined)
    throw new CodedError(
      "state-unreadable",
      `Failed to read the state of this ${declaredKind(kind)}: its schemaVersion is not a version. The state was edited or damaged. Restore an earlier checkpoint (pulumi stack import).`,
    );
  if (version > steps.length)
    throw new CodedError(
      "state-of-newer-version",
      `Failed to read the state of this resource: it was written by a newer pulumi-page-guard (schema ${version}, this one knows ${steps.length}). Install the version that made the last update, or a newer one.`,
    );
  const upgraded = steps.slice(version).reduce((read, step) => step(read, kind), withoutHidden(state));
  return { ...upgraded, schemaVersion: steps.length };
}

type StateParser<State> = Pick<Kind<unknown, State>, "name" | "parseState">;

export function readState<State>(kind: StateParser<State>, recorded: Properties): State {
  return readRecordedInputs(kind, upgradeState(recorded, kind.name));
}

/** Reads the inputs in the state, which have no version of their own. */
export function readRecordedInputs<State>(kind: StateParser<State>, recorded: Properties): State {
  return asRecorded(`this ${declaredKind(kind.name)}`, () => kind.parseState(recorded));
}

export function withVersion(state: object): Properties {
  return { ...state, schemaVersion };
}

/**
 * Reads a part of the state with a schema.
 *
 * @throws CodedError if no version of this package can have written that part. The message quotes no value, because a value may
 * be secret.
 */
export function asRecorded<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const paths = error.issues.map(({ path }) => pathText(path));
    throw new CodedError(
      "state-unreadable",
      `Failed to read the state of ${what}: these properties have values that pulumi-page-guard never writes: ${cleanList(paths, { most: 5, max: 80 })}. The state was edited or damaged. Restore an earlier checkpoint (pulumi stack import), or remove the resource from the state (pulumi state delete) and import it again.`,
    );
  }
}
