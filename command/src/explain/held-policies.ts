import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { hostsOf, isKnownDirective, parse, selects, withScheme } from "page-guard-csp";
import { type ReadClient, readZone, valuesOf } from "pulumi-page-guard/tools";
import { forTerminal } from "../reports/escape";
import { policyLines } from "../shared/policy-lines";
import { readText } from "../shared/read-text";
import type { Session } from "../shared/session";
import { UsageError } from "../shared/usage-error";

/** A policy that requests are checked against. */
export interface HeldPolicy {
  readonly text: string;
  /** If there are several. Safe to show. */
  readonly name?: string;
  /** Otherwise it only logs. */
  readonly isEnforced: boolean;
  /** Why it may not apply to the page. */
  readonly doubt?: string;
}

/** The policies of `--policy`, one a line: of a file, standard input for `-`, or the text itself. */
export async function givenPolicies(session: Session, given: string): Promise<readonly HeldPolicy[]> {
  const isFile = given === "-" || isFileAt(resolve(session.cwd, given));
  const lines = policyLines(isFile ? await readText(session, given) : given);
  const held = lines.map(({ text }, index) => {
    // It may start with the name of the header.
    const [header = "", reportOnly] = /^content-security-policy(-report-only)?:/i.exec(text) ?? [];
    const name = lines.length > 1 ? { name: `line ${index + 1} of the policy` } : {};
    return { text: text.slice(header.length), ...name, isEnforced: reportOnly === undefined };
  });
  // A text without directives allows everything, and may be a misspelled file name.
  if (!held.some(({ text }) => parse(text).directives.some(({ name }) => isKnownDirective(name))))
    throw new UsageError(
      `--policy takes a file, - for standard input, or the text of a policy. ${forTerminal(given, 200)} is ${isFile ? "a file without directives" : "not a file, and has no directives"}.`,
    );
  return held;
}

function isFileAt(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/** Returns the enabled policies of a zone that apply, or may apply, to a page. */
export async function zonePolicies(
  client: ReadClient,
  zoneId: string,
): Promise<(pageUrl: string) => readonly HeldPolicy[]> {
  const { policies = [] } = valuesOf(await readZone(client, zoneId, ["policies"]));
  const listed = policies.filter(({ enabled }) => enabled);
  const held = listed.map(({ description, action, expression, value }) => {
    const hosts = hostsOf(expression);
    const why = hosts.decided ? "it tests more than the host and the path" : forTerminal(hosts.reason, 200);
    const name = `policy ${forTerminal(description, 100)} (${forTerminal(action, 20)})`;
    const policy = { text: value, name, isEnforced: action !== "log" };
    const doubted = { ...policy, doubt: `its expression may not select the page: ${why}` };
    return (pageUrl: string) => {
      const isOn = selects(expression, withScheme(pageUrl));
      if (isOn === false) return [];
      return [isOn === true ? policy : doubted];
    };
  });
  return (pageUrl) => held.flatMap((policyOn) => policyOn(pageUrl));
}
