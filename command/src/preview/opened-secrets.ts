import { engineMarks, readMark } from "pulumi-page-guard/tools";
import { sumUp } from "../shared/values";
import type { EngineEvent, StepMetadata } from "./events";
import { secretValue, type Values } from "./preview-read";

/**
 * Hides inputs with secrets that a policy pack turned into plain text, which happens if a policy returns a copy of the inputs,
 * such as `{ ...props, action: "log" }`. The event of the engine about the change shows which values were secret before.
 */
export class OpenedSecrets {
  readonly #names = new Map<string, string[]>();

  add({ policyRemediationEvent: one }: EngineEvent): void {
    const { resourceUrn: urn = "", before } = one ?? {};
    const secret = Object.entries(before ?? {}).filter(([, value]) => countSecrets(value) > 0);
    const names = secret.map(([name]) => name);
    if (names.length > 0) this.#names.set(urn, [...(this.#names.get(urn) ?? []), ...names]);
  }

  hide(step: StepMetadata): StepMetadata {
    const names = this.#names.get(step.urn);
    if (!names) return step;
    const cover = (values: Values): Values => {
      const covered = names
        .filter((name) => Object.hasOwn(values, name))
        .map((name) => [name, engineMarks.secretText]);
      return { ...values, ...Object.fromEntries(covered) };
    };
    const [old, now] = [step.old, step.new].map((side) => {
      const { inputs, outputs } = side ?? {};
      return side && { ...side, inputs: inputs && cover(inputs), outputs: outputs && cover(outputs) };
    });
    return { ...step, old, new: now };
  }
}

/** Counts the secrets in a value. Treats all secrets in a list as one, because a pack can remove entries of a list. */
export function countSecrets(value: unknown): number {
  if (value === engineMarks.secretText || value === secretValue || readMark(value) === "secret") return 1;
  if (typeof value !== "object" || value === null) return 0;
  const inside = sumUp(Object.values(value), countSecrets);
  return Array.isArray(value) ? Math.min(inside, 1) : inside;
}
