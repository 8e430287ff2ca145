import { zoneIdOf } from "pulumi-page-guard/tools";
import { distinct } from "../values";

/** Plain data, with `secretValue` and `unknownValue` for what is secret or unknown. */
export type Values = Readonly<Record<string, unknown>>;

/** What the engine writes in place of a secret. */
export const secretText = "[secret]";

/** Symbols: no text of a program is mistaken for one. */
export const secretValue = Symbol(secretText);
export const unknownValue = Symbol("[not known yet]");

/** Returns a copy of the value as JSON would carry it, with texts in place of the symbols. */
export function asPlainJson<T>(value: T): T {
  if (value === undefined) return value;
  return JSON.parse(JSON.stringify(value, (_, one) => (typeof one === "symbol" ? one.description : one)));
}

/** One property that differs between state and declaration. A side is undefined if there is none, or it is not shown. */
export interface Difference {
  /** `directives["script-src"][0]`, as the engine writes it. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Absolute path and line of a declaration, where the findings file has them. */
export interface Position {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** What happens to one resource. The three steps of a replacement are one, `replace`. */
export interface PreviewStep extends Position {
  /** `create`, `update`, `replace`, `delete`, `same`, `read`, `import`, … */
  readonly op: string;
  readonly urn: string;
  readonly type: string;
  /** The resource's name in the program. */
  readonly name: string;
  /** A component: it only groups others. */
  readonly isComponent: boolean;
  /** A resource of this package. */
  readonly isOurs: boolean;
  /** `CspPolicy`; the whole type for other packages. */
  readonly kind: string;
  /** The id in the state; empty for a new resource. */
  readonly id: string;
  /** The zone in its inputs; where it is secret, that of its id. */
  readonly zone: string | undefined;
  /** Inputs in the state; undefined for a new resource. */
  readonly before: Values | undefined;
  /** Declared inputs; undefined for a deletion. */
  readonly after: Values | undefined;
  /** Outputs in the state, which no program under review can write; undefined for a new resource. */
  readonly recorded: Values | undefined;
  /** How it is reached, by the state and by the program: its argument `connection`, completed by its provider's arguments. */
  readonly connections: { readonly was: unknown; readonly becomes: unknown };
  readonly differences: readonly Difference[];
  /** The engine removes it from the state and deletes nothing: `retainOnDelete` or `deletedWith`. */
  readonly isRetained: boolean;
  /** URN of the deleted resource that the option `deletedWith` in the state names. */
  readonly deletedWith?: string;
  /** A policy pack changed its inputs. */
  readonly isRemediated?: boolean;
  /** The option `protect`, in the state and in the program. */
  readonly isProtected: { readonly was: boolean; readonly becomes: boolean };
}

/** A finding of this package or of a policy pack, from the engine's messages and the findings file; or any other message. */
export interface ReadFinding extends Position {
  /** The engine has shown it. The program under review can write the findings file. */
  readonly isShown: boolean;
  /** Empty for a message of others than this package. */
  readonly code: string;
  readonly severity: "error" | "warning" | "info";
  readonly zone?: string | undefined;
  /** Undefined for the stack as a whole. */
  readonly urn?: string | undefined;
  /** Path of the input, empty for the resource as a whole. */
  readonly property: string;
  /** Without the code at its end. */
  readonly text: string;
  /** From the findings file. */
  readonly data?: Values | undefined;
}

export type ResourceOptions = ReadonlyMap<string, { readonly was: Values; readonly becomes: Values }>;

export interface PreviewRead {
  /** Undefined if the engine ended before it reached the stack. */
  readonly stack: string | undefined;
  readonly project: string | undefined;
  /** In the engine's order, without the stack itself and providers. */
  readonly steps: readonly PreviewStep[];
  /** What a refresh found changed: `update` and `delete`. */
  readonly refreshed: readonly PreviewStep[];
  readonly findings: readonly ReadFinding[];
  /** Resource options by URN, in the state and in the program. Read for an approval only. */
  readonly options?: ResourceOptions | undefined;
  /** `unfinished`: the events end early. */
  readonly result: "succeeded" | "failed" | "unfinished";
}

/** Returns the text of a finding, after the path of its property if it has one. */
export function withProperty({ property, text }: ReadFinding): string {
  return property === "" ? text : `${property}: ${text}`;
}

export function findingOf(
  finding: Pick<ReadFinding, "severity" | "text"> & Partial<ReadFinding>,
): ReadFinding {
  return { isShown: false, code: "", property: "", ...finding };
}

export function isError({ severity }: Pick<ReadFinding, "severity">): boolean {
  return severity === "error";
}

/** Operations that leave a resource as it is. */
export function isReading({ op }: Pick<PreviewStep, "op">): boolean {
  return op === "read" || op === "read-discard" || op === "refresh";
}

export function isChanging(step: Pick<PreviewStep, "op">): boolean {
  return step.op !== "same" && !isReading(step);
}

/** The zones of a step of ours: two for a resource that moves, none while its zone is unknown. */
export function zonesOf(
  step: Pick<PreviewStep, "isOurs" | "zone" | "id" | "before" | "after">,
): readonly string[] {
  const { isOurs, zone, id, before, after } = step;
  if (!isOurs || (zone === undefined && after?.["zoneId"] === unknownValue)) return [];
  return distinct([zone, zoneIdOf(id.split("/", 1)[0]), zoneIdOf(before?.["zoneId"])]);
}
