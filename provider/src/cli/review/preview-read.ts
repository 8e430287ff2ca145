/** Plain data. Secret values and values that are not known yet are `secretValue` and `unknownValue`. */
export type Values = Readonly<Record<string, unknown>>;

/** Stands for a value that the engine keeps secret. */
export const secretValue = "[secret]";

/** Stands for a value that is known only once something else was made. */
export const unknownValue = "[not known yet]";

/** One property that differs between what is recorded and what is declared. */
export interface Difference {
  /** `directives["script-src"][0]`, as the engine writes it. */
  readonly path: string;
  readonly kind: "add" | "delete" | "update";
  /** This difference makes another object out of the resource. */
  readonly replaces: boolean;
  /** Undefined where there is none, also when all of it is not told. */
  readonly before: unknown;
  readonly after: unknown;
}

/** What the values of a step do not say by themselves: `[secret]` may be a text of the program. */
export interface StepFacts {
  /** Paths of what is not known in the declared inputs. */
  readonly unknown: readonly (readonly string[])[];
  /** Declared inputs that are or hold something secret, or in which the engine does not show a text. */
  readonly secret: readonly string[];
  /** The outputs in the state, without those that are or hold something secret: the `hidden` ones. */
  readonly recorded?: Values;
  readonly hidden: readonly string[];
}

/** What is done to one resource. The three steps of a replacement are one, `replace`. */
export interface PreviewStep {
  /** `create`, `update`, `replace`, `delete`, `same`, `read`, `import`, … */
  readonly op: string;
  readonly urn: string;
  readonly type: string;
  /** The resource's name in the program. */
  readonly name: string;
  /** It only holds others together: nothing is done to it. */
  readonly isComponent: boolean;
  /** Of this package: only then its inputs mean something to us. */
  readonly isOurs: boolean;
  /** Of a type of this package, and with code of the program's own. */
  readonly isForged: boolean;
  /** `CspPolicy`; the whole type for resources of others. */
  readonly kind: string;
  /** The id that the engine has on record; empty for what is not there yet. */
  readonly id: string;
  /** The zone that the resource belongs to, where the inputs say it in clear. */
  readonly zone: string | undefined;
  /** Inputs on record; undefined for what is not there yet. */
  readonly before: Values | undefined;
  /** Inputs as declared; undefined for what is deleted. */
  readonly after: Values | undefined;
  /** Outputs in the state, which no program under review can write; undefined for what is not there yet. */
  readonly recorded: Values | undefined;
  readonly differences: readonly Difference[];
  /** The engine refuses to delete it. */
  readonly isProtected: boolean;
  readonly facts: StepFacts;
  /** The engine drops it from the state and deletes nothing. */
  readonly isRetained: boolean;
}

/** A message of the engine, the program or a provider. */
export interface Diagnostic {
  readonly severity: "info" | "warning" | "error";
  /** Undefined for the stack as a whole. */
  readonly urn: string | undefined;
  /** Without the code at its end. */
  readonly text: string;
  /** What stood in brackets at the end: a message of ours. */
  readonly code: string | undefined;
}

/** What a policy pack found. */
export interface Violation {
  readonly pack: string;
  readonly policy: string;
  readonly isMandatory: boolean;
  readonly urn: string | undefined;
  readonly text: string;
}

/** Something that this package has to say, from the engine's messages and the findings file. */
export interface ReadFinding {
  /** The engine has shown it. The findings file alone can be written by the program under review. */
  readonly isShown: boolean;
  readonly code: string;
  readonly severity: "error" | "warning" | "info";
  readonly zone: string | undefined;
  /** Undefined for the stack as a whole. */
  readonly urn: string | undefined;
  /** Path of the input, empty for the resource as a whole. */
  readonly property: string;
  /** Without the code at its end. */
  readonly text: string;
  /** Of a message only what agrees with its text. */
  readonly data: Values | undefined;
  /** Where the resource is declared: absolute path, and line. */
  readonly file: string | undefined;
  readonly line: number | undefined;
}

export interface Position {
  readonly file: string;
  readonly line: number;
}

/** What a run of the engine does, or would do. */
export interface PreviewRead {
  /** Undefined when the engine ended before it came to the stack. */
  readonly stack: string | undefined;
  readonly project: string | undefined;
  /** In the engine's order, sorted by nothing; the stack itself and providers are left out. */
  readonly steps: readonly PreviewStep[];
  /** What a refresh before it found changed in the service: `update` and `delete` of what is recorded. */
  readonly refreshed: readonly PreviewStep[];
  readonly diagnostics: readonly Diagnostic[];
  readonly violations: readonly Violation[];
  readonly findings: readonly ReadFinding[];
  /** URN to where the program declares the resource. */
  readonly positions: ReadonlyMap<string, Position>;
  readonly isPreview: boolean;
  /** `unfinished`: the stream broke off. */
  readonly result: "succeeded" | "failed" | "unfinished";
}
