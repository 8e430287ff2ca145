import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { Properties } from "../model/properties";
import { containsUnknown } from "../model/unknown";
import { isSameZone } from "../model/zone-id";
import type { InputShape } from "./wrong-inputs";

type Known<Inputs> = { readonly [Name in keyof Inputs]?: Inputs[Name] | undefined };

export interface Schemas<Inputs, State> {
  readonly shape: InputShape;
  parseInputs(inputs: Properties): Inputs;
  /** Parses the inputs that are known before the update. */
  parseKnown(inputs: Properties): Known<Inputs>;
  /** Parses a state in the current format; `upgradeState` converts older states. */
  parseState(state: Properties): State;
}

export function makeSchemas<Shape extends InputShape, State>(shape: Shape, state: z.ZodType<State>) {
  const inputs = z.object(shape);
  const known = inputs.partial();
  return {
    shape,
    parseInputs: (values: Properties) => inputs.parse(values),
    parseKnown: (values: Properties) => known.parse(values),
    parseState: (values: Properties) => state.parse(values),
  };
}

/** Returns the names of the inputs that differ. `defaults`: default values of the inputs to compare. `zoneId` is always compared. */
export function findChangedNames(before: Properties, now: Properties, defaults: Properties): string[] {
  const changed = Object.entries(defaults).flatMap(([name, initial]) =>
    isDeepStrictEqual(before[name] ?? initial, now[name] ?? initial) ? [] : [name],
  );
  return isSameZone(before["zoneId"], now["zoneId"]) ? changed : ["zoneId", ...changed];
}

/** A declared resource, with the values that are known before the update. */
export class Draft<Inputs> {
  /** Names of the inputs that are unknown or contain an unknown value. */
  readonly unknown: ReadonlySet<string>;

  constructor(
    private readonly schemas: Pick<Schemas<Inputs, unknown>, "parseInputs" | "parseKnown">,
    /** Inputs as received. Values that are not known yet are `unknownValue`. */
    readonly values: Properties,
    readonly urn = "",
  ) {
    this.unknown = new Set(Object.keys(values).filter((name) => containsUnknown(values[name])));
  }

  /** Inputs that are completely known, parsed. */
  get known(): Known<Inputs> {
    const known = Object.entries(this.values).filter(([name]) => !this.unknown.has(name));
    return this.schemas.parseKnown(Object.fromEntries(known));
  }

  /** All inputs; undefined if any input is not completely known. */
  get inputs(): Inputs | undefined {
    return this.unknown.size > 0 ? undefined : this.schemas.parseInputs(this.values);
  }
}
