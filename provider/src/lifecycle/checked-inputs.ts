import { canonical } from "../text/canonical";
import { withoutHidden } from "./hidden-inputs";
import type { Properties } from "./kind";
import { type Secrets, type SecretTexts, secretTextsOf } from "./secret-inputs";

/** What `check` has learnt with inputs. */
export interface Checked {
  readonly urn: string;
  readonly secrets: Secrets;
}

/** Whose a change is, and what is not to be quoted in its failures. */
export interface Change {
  readonly urn: string;
  /** Of all that have declared the very same: the engine does not tell which of them it is about. */
  readonly urns: readonly string[];
  readonly secretTexts: SecretTexts;
}

/** Inputs that passed `check`, in this process. */
export class CheckedInputs {
  readonly #passed = new Map<string, Checked>();
  readonly #urns = new Map<string, Set<string>>();

  note(inputs: Properties, checked: Checked): void {
    const print = fingerprint(inputs);
    this.#passed.set(print, checked);
    this.#urns.set(print, new Set([...(this.#urns.get(print) ?? []), checked.urn]));
  }

  /** Undefined: a `diff` of these belongs to a refresh. */
  of(inputs: Properties): Checked | undefined {
    return this.#passed.get(fingerprint(inputs));
  }

  /** A policy pack may change inputs after their check: whose they are cannot be told then, nor which secrets they hold. */
  changeOf(inputs: Properties): Change {
    const passed = this.of(inputs);
    const secretTexts = secretTextsOf(passed ? [passed] : [...this.#passed.values()]);
    const urns = [...(this.#urns.get(fingerprint(inputs)) ?? [])].filter((urn) => urn !== "");
    return { urn: passed?.urn ?? "", urns, secretTexts };
  }
}

function fingerprint(inputs: Properties): string {
  const { __provider, ...declared } = withoutHidden(inputs);
  return canonical(declared);
}
