import { build, parse, toDirectives } from "page-guard-csp";
import { secretText } from "../model/engine-marks";
import { isClosedSecret } from "./closed-secret";
import type { JudgementProps, PolicyTextProps } from "./declared-props";
import { isCspPolicy, isCspPolicySet, type PackResource } from "./pack-resource";

/**
 * A CSP policy of a stack: a `CspPolicy` or an entry of a `CspPolicySet`. Each field is computed when a rule reads it. If a
 * preview does not know its value yet, only the rules that read it stop.
 */
export interface PackPolicy {
  /** Key of the policy in its set. Absent for a `CspPolicy`, and if the whole set is a secret that was not decrypted. */
  readonly key?: string | undefined;
  readonly description: string;
  readonly action: string;
  readonly expression: string;
  readonly isEnabled: boolean;
  /** Whether the policy is enabled and blocks: its action is `allow`, or a secret that was not decrypted. */
  readonly isEnforced: boolean;
  /** The policy as a string. Absent if the policy, or a part of it, is a secret that was not decrypted. */
  readonly value: string | undefined;
  /** Sources of each directive, as browsers read the policy: the first directive of each name, names in lower case. */
  readonly directives: Readonly<Record<string, readonly string[]>> | undefined;
  /** Whether the program gives both `value` and `directives`, which the resource refuses. This object then shows only `value`. */
  readonly hasTwoTexts: boolean;
  /** The `minimumLogDays` of the resource, which is the same for all policies of a set. */
  readonly minimumLogDays: number | undefined;
}

/**
 * Returns the policies that a resource declares: one for a `CspPolicy`, all policies of a set, none for other kinds. If the whole
 * set is a secret that was not decrypted, returns a single policy.
 */
export function policiesOf(resource: PackResource): readonly PackPolicy[] {
  if (isCspPolicy(resource)) return [packPolicy(resource.props, resource.props)];
  if (!isCspPolicySet(resource)) return [];
  const { props } = resource;
  if (isClosedSecret(props.policies)) return [packPolicy(closedText, props)];
  return Object.keys(props.policies).flatMap((key) => {
    const entry = props.policies[key];
    if (entry === undefined) return [];
    return [packPolicy(isClosedSecret(entry) ? closedText : entry, props, key)];
  });
}

/** Content of a policy. Its action may be a secret that was not decrypted. */
interface Text extends Omit<PolicyTextProps, "action"> {
  readonly action: string;
  readonly description?: string;
}

const closedText: Text = { action: secretText, expression: secretText, value: secretText };

function packPolicy(text: Text, judgement: JudgementProps, key?: string): PackPolicy {
  return {
    key,
    get description() {
      return text.description ?? key ?? secretText;
    },
    get action() {
      return text.action;
    },
    get expression() {
      return text.expression;
    },
    get isEnabled() {
      return text.enabled !== false;
    },
    get isEnforced() {
      return this.isEnabled && (text.action === "allow" || isClosedSecret(text.action));
    },
    get value() {
      return readPolicyText(text);
    },
    get directives() {
      const { value } = this;
      return value === undefined ? undefined : toDirectives(parse(value));
    },
    get hasTwoTexts() {
      return text.value !== undefined && text.directives !== undefined;
    },
    get minimumLogDays() {
      return judgement.minimumLogDays;
    },
  };
}

function readPolicyText({ value, directives }: Text): string | undefined {
  if (typeof value === "string") return isClosedSecret(value) ? undefined : value;
  if (typeof directives !== "object" || directives === null) return undefined;
  const sources: Record<string, readonly string[]> = Object.create(null);
  for (const name of Object.keys(directives)) {
    const values = directives[name];
    if (!Array.isArray(values) || values.includes(secretText)) return undefined;
    // Policy packs get each list in a wrapper of the framework, so copy its items.
    sources[name] = [...values];
  }
  return build(sources);
}
