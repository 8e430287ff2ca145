import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import {
  hostsOf,
  isKnownDirective,
  parse,
  selects,
  upgradesRequests,
  withScheme,
  withUpgrade,
} from "page-guard-csp";
import { isEnforced, readZone, requireValues } from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { policyLines } from "../shared/policy-lines";
import { readText } from "../shared/read-text";
import type { ReadClient } from "../shared/reader";
import type { Session } from "../shared/session";
import { UsageError } from "../shared/usage-error";

/** A policy that requests are checked against. */
export interface HeldPolicy {
  readonly text: string;
  /** Name of the policy, safe to show. Absent for a single policy from `--policy` and for a policy from a report. */
  readonly name?: string;
  /** Whether the policy blocks; otherwise it only logs. */
  readonly isEnforced: boolean;
  /** Reason why the policy might not apply to the page. */
  readonly doubt?: string;
}

/** Returns the policies of `--policy`: a file, standard input (`-`) or the text itself. Each line is a policy. */
export async function readGivenPolicies(session: Session, given: string): Promise<readonly HeldPolicy[]> {
  const isFile = given === "-" || isExistingFile(resolve(session.cwd, given));
  const lines = policyLines(isFile ? await readText(session, given) : given);
  const held = lines.map(({ text }, index) => {
    // A line may begin with the name of the header.
    const [header = "", reportOnly] = /^content-security-policy(-report-only)?:/i.exec(text) ?? [];
    const name = lines.length > 1 ? { name: `line ${index + 1} of the policy` } : {};
    return { text: text.slice(header.length), ...name, isEnforced: reportOnly === undefined };
  });
  const read = held.flatMap(({ text }) => text.split(",").map(parse));
  const withDirectives = read.filter(({ directives }) =>
    directives.some(({ name }) => isKnownDirective(name)),
  );
  // If the policy is still in quotes or in a line of a server's configuration, browsers ignore its first directive.
  const [wrapped] = withDirectives.flatMap(({ text, ignored: [first] }) =>
    first?.reason === "bad-name" && text.trimStart().toLowerCase().startsWith(first.name) ? [first.name] : [],
  );
  if (wrapped !== undefined)
    throw new UsageError(
      `--policy takes the value of the header alone: ${forTerminal(wrapped, 100)} is not the name of a directive, so browsers would ignore it and its sources.`,
    );
  // Refuse a value without directives: it may be a misspelled file name, and as a policy it would allow everything.
  if (withDirectives.length === 0) {
    const mistake = isFile ? "a file without directives" : "not a file, and has no directives";
    throw new UsageError(
      `--policy takes a file, - for standard input, or the text of a policy. ${forTerminal(given, 200)} is ${mistake}.`,
    );
  }
  return held;
}

const upgrade = "upgrade-insecure-requests";

/** Removes `upgrade-insecure-requests` and `sandbox`, which browsers ignore in a policy that only logs. */
export function withoutEnforcedOnly(text: string): string {
  const kept = text.split(",").map((one) => {
    const { directives, ignored } = parse(one);
    // Also removes repetitions of these directives: without the first `sandbox`, for example, a second one would count.
    const found = [...directives, ...ignored].filter(({ name }) => name === upgrade || name === "sandbox");
    return found
      .sort((a, b) => a.position.offset - b.position.offset)
      .reduceRight(
        (left, { position: { offset, length } }) => left.slice(0, offset) + left.slice(offset + length),
        one,
      );
  });
  return kept.join(",");
}

/** Returns the policy texts as browsers apply them. If an enforced policy upgrades requests, the upgrade applies to all policies. */
export function decidingTexts(held: readonly HeldPolicy[]): readonly string[] {
  const isUpgraded = held.some(({ isEnforced, text }) => isEnforced && upgradesRequests(text));
  const own = held.map(({ isEnforced, text }) => (isEnforced ? text : withoutEnforcedOnly(text)));
  return isUpgraded ? own.map(withUpgrade) : own;
}

function isExistingFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/** Reads the enabled policies of a zone. Returns a function that selects the policies that apply, or might apply, to a page. */
export async function zonePolicies(client: ReadClient, zoneId: string) {
  const { policies = [] } = requireValues(await readZone(client, zoneId, ["policies"]));
  const listed = policies.filter(({ enabled }) => enabled);
  const held = listed.map((one) => {
    const { description, action, expression, value } = one;
    const hosts = hostsOf(expression);
    const why = hosts.decided ? "it tests more than the host and the path" : forTerminal(hosts.reason, 200);
    const name = `policy ${forTerminal(description, 100)} (${forTerminal(action, 30)})`;
    const policy = { text: value, name, isEnforced: isEnforced(one) };
    const doubted = {
      ...policy,
      doubt: `it is not certain that the policy's expression selects the page: ${why}`,
    };
    return (pageUrl: string) => {
      const isOn = selects(expression, withScheme(pageUrl));
      if (isOn === false) return [];
      return [isOn === true ? policy : doubted];
    };
  });
  return (pageUrl: string): readonly HeldPolicy[] => held.flatMap((policyOn) => policyOn(pageUrl));
}
