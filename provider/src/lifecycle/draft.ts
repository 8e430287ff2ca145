import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { containsUnknown } from "../model/unknown";
import { isSameZone } from "../model/zone-id";
import type { InputShape } from "./check-inputs";

type Values = Readonly<Record<string, unknown>>;

/** Inputs of which some are not there. */
type Known<Inputs> = { readonly [Name in keyof Inputs]?: Inputs[Name] | undefined };

/** How a kind reads what the engine gives it. */
export interface Schemas<Inputs, State> {
  /** Names and rules of the inputs, one by one. */
  readonly shape: InputShape;
  parseInputs(inputs: Values): Inputs;
  /** The inputs that are known before the update. */
  parseKnown(inputs: Values): Known<Inputs>;
  /** Accepts every state that an older version has written, in the form of today (`upgradeState`). */
  parseState(state: Values): State;
}

export function schemasOf<Shape extends InputShape, State>(shape: Shape, state: z.ZodType<State>) {
  const inputs = z.object(shape);
  const known = inputs.partial();
  return {
    shape,
    parseInputs: (values: Values) => inputs.parse(values),
    parseKnown: (values: Values) => known.parse(values),
    parseState: (values: Values) => state.parse(values),
  };
}

/** The zone, where it is another one, and those of the inputs that differ; `defaults`: of each, what its absence means. */
export function changedNames(before: Values, now: Values, defaults: Values): string[] {
  const changed = Object.entries(defaults).flatMap(([name, initial]) =>
    isDeepStrictEqual(before[name] ?? initial, now[name] ?? initial) ? [] : [name],
  );
  return isSameZone(before["zoneId"], now["zoneId"]) ? changed : ["zoneId", ...changed];
}

/** What a program declares of a resource, as far as it is known before the update. */
export class Draft<Inputs> {
  readonly #schemas: Pick<Schemas<Inputs, unknown>, "parseInputs" | "parseKnown">;
  /** Names of the inputs of which something is not known yet. */
  readonly unknown: ReadonlySet<string>;
  #known: Known<Inputs> | undefined;
  #inputs: Inputs | undefined;

  constructor(
    schemas: Pick<Schemas<Inputs, unknown>, "parseInputs" | "parseKnown">,
    /** Each input as it came; what is not known yet is the unknown value. */
    readonly values: Values,
    readonly urn = "",
  ) {
    this.#schemas = schemas;
    this.unknown = new Set(Object.keys(values).filter((name) => containsUnknown(values[name])));
  }

  /** The inputs of which all is known. They have passed the rules of their kind. */
  get known(): Known<Inputs> {
    const known = Object.entries(this.values).filter(([name]) => !this.unknown.has(name));
    this.#known ??= this.#schemas.parseKnown(Object.fromEntries(known));
    return this.#known;
  }

  /** All inputs, where all of them are known. */
  get inputs(): Inputs | undefined {
    if (this.unknown.size > 0) return undefined;
    this.#inputs ??= this.#schemas.parseInputs(this.values);
    return this.#inputs;
  }
}
