import { zoneIdOf } from "../../zone/zone-id";
import type { PreviewStep } from "./preview-read";

/** What becomes of one object of a zone: a policy, a WAF rule, the settings. Resources are counted by the engine. */
export interface ObjectChange {
  readonly step: PreviewStep;
  readonly zone: string | undefined;
  readonly kind: "policy" | "rule" | "settings";
  readonly fate: Fate;
  /** Key in its set, or description. What a person may have written. */
  readonly label: string;
  /** Of what is in the zone already. */
  readonly id: string | undefined;
  /** The resource that has it from now on. */
  readonly movesTo?: PreviewStep | undefined;
  /** What protects less by it, in words; of what is left in its zone, what would if it were deleted. */
  readonly weaker: string | undefined;
}

/** `leave`: nobody declares it any more, and it stays. `restore`: as it was found before the first change. */
export type Fate = "create" | "update" | "move" | "leave" | "delete" | "restore";

/** What changes something, in a preview's words. */
const changing = new Set(["create", "update", "replace", "delete", "import"]);

export function isChanging({ op }: PreviewStep): boolean {
  return changing.has(op);
}

/** Both sides of a step: what is in the state and what is declared. Outputs of the state are closer to the zone. */
export function sidesOf({ op, before, recorded, after }: PreviewStep): {
  readonly was: Record<string, unknown> | undefined;
  readonly becomes: Record<string, unknown> | undefined;
} {
  const hasOld = op !== "create" && op !== "import" && (before ?? recorded) !== undefined;
  return {
    was: hasOld ? { ...before, ...recorded } : undefined,
    becomes: op === "delete" ? undefined : after,
  };
}

export function zoneIn(values: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return zoneIdOf(values?.["zoneId"]);
}

export function stringIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function recordIn(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
