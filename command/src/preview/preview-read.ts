import { engineMarks, isChanging, parseZoneId } from "pulumi-page-guard/tools";
import type { Place } from "../documents/review/review";
import { distinct } from "../shared/values";
import type { FindingLine } from "./events";

/** Plain data, with `secretValue` and `unknownValue` in place of secret and unknown values. */
export type Values = Readonly<Record<string, unknown>>;

/** Mark for secret values: a symbol, so that no string in a program can be mistaken for it. */
export const secretValue = Symbol(engineMarks.secretText);
export const unknownValue = Symbol("[not known yet]");

/** Returns the value as JSON preserves it, with each symbol replaced by its description. */
export function asPlainJson<T>(value: T): T {
  if (value === undefined) return value;
  return JSON.parse(JSON.stringify(value, (_, one) => (typeof one === "symbol" ? one.description : one)));
}

/** A property that differs between state and declaration. A side that lacks the property is undefined. */
export interface Difference {
  /** Path as the engine writes it: `directives["script-src"][0]`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The step of a preview for one resource. A replacement, which has three steps in the events, is one step `replace`. */
export interface PreviewStep extends Place {
  /** The operation: `create`, `update`, `replace`, `delete`, `same`, `read`, `import`, … */
  readonly op: string;
  readonly urn: string;
  /** The URN in the state. It differs from `urn` if an alias renames the resource. */
  readonly oldUrn: string;
  readonly type: string;
  readonly name: string;
  /** Whether the resource is a component, which only groups other resources. */
  readonly isComponent: boolean;
  /** Whether the resource belongs to this package. */
  readonly isOurs: boolean;
  /** Kind of the resource, such as `CspPolicy`; for a resource of another package, its whole type. */
  readonly kind: string;
  /** The id in the state; empty for a new resource. */
  readonly id: string;
  /** Zone in the inputs or, if `zoneId` is secret and the step is not a replacement, in the id; undefined if unknown. */
  readonly zone: string | undefined;
  /** Inputs in the state; undefined for a new resource. */
  readonly before: Values | undefined;
  /** Declared inputs; undefined for a deletion. */
  readonly after: Values | undefined;
  /** Outputs in the state; undefined for a new resource. The program under review cannot write them. */
  readonly recorded: Values | undefined;
  /** The argument `connection` in the state and in the program, completed by the arguments of the provider. */
  readonly connections: { readonly was: unknown; readonly becomes: unknown };
  /** URN of the provider that carries out the step. Each provider is a process that knows only its own objects. */
  readonly provider?: string;
  readonly differences: readonly Difference[];
  /** Whether the engine drops the resource from the state without deleting its object (`retainOnDelete` or `deletedWith`). */
  readonly isRetained: boolean;
  /** Whether the engine deletes the old object of a replacement before it creates the new one (`deleteBeforeReplace`). */
  readonly isDeletedFirst?: boolean;
  /** URN that the option `deletedWith` names in the state, if the plan deletes or replaces that resource. */
  readonly deletedWith?: string;
  /** Whether a policy pack changed the inputs. */
  readonly isRemediated?: boolean;
  /** Whether the engine may have left out the resource (`--target`). If it did, the provider does not know its objects. */
  readonly isLeftOut?: boolean;
  /** The option `protect`, in the state and in the program. */
  readonly isProtected: { readonly was: boolean; readonly becomes: boolean };
}

/** A finding of this package or of a policy pack, or any other message. It comes from the engine or from the findings file. */
export interface ReadFinding extends Readonly<FindingLine> {
  /** Whether the engine has shown the finding. If not, the program under review may have written it to the findings file. */
  readonly isShown: boolean;
}

export interface PreviewRead {
  /** Name of the stack; undefined if the engine ended before it reached the stack. */
  readonly stack: string | undefined;
  readonly project: string | undefined;
  /** Steps in the engine's order, without the steps of the stack itself and of providers. */
  readonly steps: readonly PreviewStep[];
  /** Steps for objects that a refresh found changed (`update`) or deleted (`delete`). */
  readonly refreshed: readonly PreviewStep[];
  readonly findings: readonly ReadFinding[];
  /** Resource options by URN, in the state and in the program. Only an approval reads them. */
  readonly options?: ReadonlyMap<string, { readonly was: Values; readonly becomes: Values }> | undefined;
  /** Whether the update leaves every resource unchanged in the state. Only an approval reads this. */
  readonly isStateKept?: boolean;
  /** Whether flags (`--target`, `--exclude`) or environment variables select only some of the resources. */
  readonly isSelective?: boolean;
  /** Result of the preview. `unfinished` means that the events end without a result. */
  readonly result: "succeeded" | "failed" | "unfinished";
}

export function withProperty({ property, text }: ReadFinding): string {
  return property === "" ? text : `${property}: ${text}`;
}

export function makeFinding(finding: Pick<ReadFinding, "severity" | "text"> & Partial<ReadFinding>) {
  return { isShown: false, code: "", property: "", ...finding };
}

export function isError({ severity }: Pick<ReadFinding, "severity">): boolean {
  return severity === "error";
}

export function isReading({ op }: Pick<PreviewStep, "op">): boolean {
  return op === "read" || op === "read-discard" || op === "refresh";
}

/** Returns the known zones of a resource of this package: two if it moves, the old one if its new zone is unknown. */
export function listZones(step: Pick<PreviewStep, "isOurs" | "zone" | "id"> & Partial<PreviewStep>) {
  const { isOurs, zone, id, before } = step;
  return isOurs ? distinct([zone, parseZoneId(id.split("/", 1)[0]), parseZoneId(before?.["zoneId"])]) : [];
}

/** Returns the resources of this package that change in a zone that is secret or not known yet. */
export function findUnplaced(steps: readonly PreviewStep[]): readonly PreviewStep[] {
  // A replacement can move a resource from a known zone to an unknown one.
  const isUnplaced = (step: PreviewStep) =>
    step.zone === undefined && (step.after !== undefined || listZones(step).length === 0);
  return steps.filter((step) => step.isOurs && isChanging(step) && isUnplaced(step));
}
