import { z } from "zod";
import type { Policy } from "../../api/client-types";
import { deletedText } from "../../resources/csp-policy-set/undeclared";
import { type LostRules, overwrittenText } from "../../resources/managed-waf-entrypoint/findings";
import { readableRules } from "../../resources/waf-migration/readable-rules";
import { asRule } from "../../resources/waf-migration/rules";
import { appliedSchema, positionSchema } from "../../resources/waf-migration/state";
import { triedText } from "../../resources/waf-migration/texts";
import { message } from "../../text/message";
import { shown } from "../../text/shown";
import { recordedRule } from "../../waf-rules/rule-input";
import type { Values } from "./preview-read";

/**
 * Findings carry data, which only the findings file brings, and the program under review can write that. So data count
 * where they say just what the engine's message says, and it is asked by writing that message from them once more.
 */
export function agrees(code: string, text: string, data: Values | undefined): boolean {
  const reader = readers.get(code);
  return reader === undefined || reader(text, data) !== undefined;
}

const readers = new Map<string, (text: string, data: Values | undefined) => unknown>([
  ["csp-blocks-in-use", blockedHosts],
  ["csp-blocks-already", blockedHosts],
  ["csp-undeclared-deleted", deletedPolicies],
  ["waf-rules-overwritten", lostRules],
  ["migration-finishes", migrationPlan],
  ["migration-validates", migrationPlan],
]);

const count = z.int().min(0);

const counts = z.object({ scripts: count, connections: count });
type Counts = z.output<typeof counts>;

const hostSchema = z.object({
  host: z.string(),
  ...counts.shape,
  isMalicious: z.boolean(),
  /** Of all that is blocked what visitors miss, and what is malicious; without them a host is all of one kind. */
  breaks: counts.optional(),
  keepsOut: counts.optional(),
  firstPageUrl: z.string().optional(),
  lastSeenAt: z.string().optional(),
});
type Host = z.output<typeof hostSchema>;

/** Loss and gain apart. */
export interface ToldHost extends Pick<Host, "host" | "firstPageUrl" | "lastSeenAt"> {
  readonly breaks: Counts;
  readonly keepsOut: Counts;
}

export interface BlockedHosts {
  readonly hosts: readonly ToldHost[];
  /** Hosts that the message only counts. */
  readonly more: number;
}

/** The hosts whose scripts and connections a policy blocks: those that the message names, in its order. */
export function blockedHosts(text: string, data: Values | undefined): BlockedHosts | undefined {
  const known = z.array(hostSchema).safeParse(data?.["hosts"]);
  if (!known.success) return undefined;
  const indented = text.split("\n").filter((line) => line.startsWith("  "));
  const rest = indented.filter((line) => line.startsWith("  … "));
  const lines = indented.filter((line) => !rest.includes(line));
  const more = Number(/ of (\d+) more hosts?$/.exec(rest[0] ?? "")?.[1] ?? 0);
  const hosts = known.data.slice(0, lines.length);
  const isWhole = more > 0 || known.data.length === lines.length;
  const agreed = hosts.length === lines.length && hosts.every((host, at) => isSaid(host, lines[at] ?? ""));
  return isWhole && agreed ? { hosts: hosts.map(toldOf), more } : undefined;
}

const none: Counts = { scripts: 0, connections: 0 };

function toldOf(host: Host): ToldHost {
  const { isMalicious, scripts, connections, breaks, keepsOut } = host;
  const all = { scripts, connections };
  return {
    ...host,
    breaks: breaks ?? (isMalicious ? none : all),
    keepsOut: keepsOut ?? (isMalicious ? all : none),
  };
}

/** As a line of the message says it, in each of its forms. */
function isSaid(host: Host, line: string): boolean {
  const { breaks, keepsOut, scripts, connections, isMalicious } = host;
  const [name = "", rest = ""] = partedAt(line, ": ");
  const known = shown(host.host);
  const isNamed = name === `  ${known || "(no readable URL)"}` || name === `  ${known} URLs`;
  const parts =
    breaks && keepsOut
      ? [inWords(breaks, "breaks ", ""), inWords(keepsOut, "keeps out ", "malicious ")]
      : [inWords({ scripts, connections }, "", "")];
  const said = parts.filter((part) => part !== "").join(", ");
  const isEnd = [undefined, ",", ";"].includes(rest[said.length]);
  const isMarked = breaks !== undefined || line.endsWith(", malicious") === isMalicious;
  return isNamed && rest.startsWith(said) && isEnd && isMarked;
}

/** Hosts with a port have a colon of their own, without a space. */
function partedAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

function inWords({ scripts, connections }: Counts, verb: string, kind: string): string {
  const count = (number: number, noun: string): string[] =>
    number === 0 ? [] : [`${number} ${kind}${noun}${number === 1 ? "" : "s"}`];
  const texts = [...count(scripts, "script"), ...count(connections, "connection")];
  return texts.length === 0 ? "" : `${verb}${texts.join(" and ")}`;
}

const policySchema = z.object({
  policyId: z.string(),
  description: z.string(),
  action: z.string(),
  expression: z.string(),
  enabled: z.boolean(),
  value: z.string(),
});

/** The policies of others that an exact set deletes. */
export function deletedPolicies(text: string, data: Values | undefined): readonly Policy[] | undefined {
  const known = z.array(policySchema).safeParse(data?.["policies"]);
  return known.success && isSame(deletedText(known.data), text) ? known.data : undefined;
}

const lostSchema = z.object({
  rules: z.array(recordedRule),
  becomes: z.object({ index: z.number(), differs: z.string() }).optional(),
});

/** The rules of others that an entry point deletes, or the one that it changes. */
export function lostRules(text: string, data: Values | undefined): LostRules | undefined {
  const known = lostSchema.safeParse(data?.["lost"]);
  return known.success &&
    isSame(
      orNothing(() => overwrittenText(known.data)),
      text,
    )
    ? known.data
    : undefined;
}

const planSchema = z.object({ from: positionSchema, configuration: appliedSchema });
export type MigrationPlan = z.output<typeof planSchema>;

/** What a migration sends, and where the zone stands before it. */
export function migrationPlan(text: string, data: Values | undefined): MigrationPlan | undefined {
  const known = planSchema.safeParse(data);
  if (!known.success) return undefined;
  const { from, configuration } = known.data;
  const rules = orNothing(() =>
    readableRules({ name: configuration.name, rules: configuration.rules.map(asRule) }).join("\n"),
  );
  const isTried = !text.startsWith("FINISHES") || text.includes(triedText(from));
  return rules !== undefined && isTried && withoutSpace(text).includes(withoutSpace(message(rules)))
    ? known.data
    : undefined;
}

function isSame(text: string | undefined, said: string): boolean {
  return text !== undefined && withoutSpace(message(text)) === withoutSpace(said);
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, "");
}

/** What nobody of this package has written may be no rule at all. */
function orNothing<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
