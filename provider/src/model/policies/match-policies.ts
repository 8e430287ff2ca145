import type { PolicyBody } from "../../api/client-types";
import { groupBy } from "../../text/data";
import type { Properties } from "../properties";
import { isText } from "../unknown";
import { declaredText } from "./declared-policy";
import { policyText } from "./policy-list";

/** A policy with its key in a set. The key is empty if the resource is a single policy. */
export interface KeyedPolicy {
  readonly key: string;
  /** The policy as declared or in the state. If it has no description, its key is the description; see `fillDescription`. */
  readonly policy: Properties;
}

/**
 * Matches declared policies with the policies in the state: `kept` are in both, `missing` are only declared, and `dropped` are
 * only in the state. A new key is treated as a renamed old key if the policies are equal, or differ only because the key is the
 * default description. A key in `release` is never treated as renamed.
 */
export function matchPolicies<Recorded extends KeyedPolicy, Declared extends KeyedPolicy>(
  recorded: readonly Recorded[],
  declared: readonly Declared[],
  release: unknown,
) {
  const left = new Map(recorded.map((record) => [record.key, record]));
  const kept: { record: Recorded; now: Declared }[] = [];
  const keep = (record: Recorded, now: Declared) => {
    left.delete(record.key);
    kept.push({ record, now });
  };
  const created = declared.filter((now) => {
    const record = left.get(now.key);
    if (record) keep(record, now);
    return !record;
  });
  const byText = groupBy(
    [...left.values()]
      .filter(({ key }) => !isReleased(release, key))
      .flatMap((record) => listTexts(record).map((text) => ({ text, record }))),
    ({ text }) => text,
  );
  const missing = created.filter((now) => {
    const alike = byText.size > 0 ? listTexts(now).flatMap((text) => byText.get(text) ?? []) : [];
    const found = alike.find(({ record }) => left.has(record.key));
    if (found) keep(found.record, now);
    return !found;
  });
  return { kept, missing, dropped: [...left.values()] };
}

/**
 * Returns the strings by which a policy is compared. A policy without a description has two, because either its key or an empty
 * text may be its description in the zone. Returns none if a field is secret, unknown or not valid.
 */
function listTexts({ key, policy }: KeyedPolicy): string[] {
  const names = policy["description"] === undefined ? [key, ""] : [policy["description"]];
  return names.flatMap((description) => {
    const body = knownBody({ ...policy, description });
    return body ? [policyText(body)] : [];
  });
}

/** Whether a set's input `release` contains the key. */
export function isReleased(release: unknown, key: string): boolean {
  return Array.isArray(release) && release.includes(key);
}

/** Returns the policy. If it has no description, its key becomes the description. */
export function fillDescription<Policy extends Properties>({ key, policy }: { key: string; policy: Policy }) {
  return { ...policy, description: policy["description"] ?? key };
}

/** Returns the request body for a policy; undefined if one of its fields is secret, unknown or not valid. */
export function knownBody({ enabled = true, ...policy }: Properties): PolicyBody | undefined {
  const { description, action, expression } = policy;
  const value = knownText(policy);
  if (!isText(description) || !isText(action) || !isText(expression)) return undefined;
  return isText(value) && typeof enabled === "boolean"
    ? { description, action, expression, enabled, value }
    : undefined;
}

/** Whether two policies are known and have the same meaning, including their descriptions. */
export function isSamePolicy(left: Properties, right: Properties): boolean {
  const [one, other] = [knownBody(left), knownBody(right)];
  return one !== undefined && other !== undefined && policyText(one) === policyText(other);
}

/** Returns the text of a policy; undefined if it is not known, or if no text can express the directives. */
export function knownText(policy: Properties): string | undefined {
  try {
    const text = declaredText(policy);
    return isText(text) ? text : undefined;
  } catch {
    // The preview refuses directives that no text can express.
    return undefined;
  }
}
