import { z } from "zod";
import type { Policy } from "../../api/client-types";
import { hostLine, letInLine } from "../../csp/impact-lines";
import { deletedText } from "../../resources/csp-policy-set/undeclared";
import { type LostRules, overwrittenText } from "../../resources/managed-waf-entrypoint/findings";
import { readableRules } from "../../resources/waf-migration/readable-rules";
import { asRule } from "../../resources/waf-migration/rules";
import { appliedSchema, positionSchema } from "../../resources/waf-migration/state";
import { triedText } from "../../resources/waf-migration/texts";
import { recordedRule } from "../../resources/waf-rule/rule-input";
import { message } from "../../text/message";
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
  ["csp-lets-malicious-in", lettingSources],
  ["csp-undeclared-deleted", deletedPolicies],
  ["waf-rules-overwritten", lostRules],
  ["migration-finishes", migrationPlan],
  ["migration-validates", migrationPlan],
]);

const count = z.int().min(0);

const counts = z.object({ scripts: count, connections: count });

const hostSchema = z.object({
  host: z.string(),
  breaks: counts,
  keepsOut: counts,
  isActive: z.boolean(),
  url: z.string(),
  reason: z.string(),
  firstPageUrl: z.string().exactOptional(),
  lastSeenAt: z.string().exactOptional(),
});
/** Loss and gain apart. */
export type ToldHost = z.output<typeof hostSchema>;

export interface BlockedHosts {
  readonly hosts: readonly ToldHost[];
  /** Hosts that the message only counts. */
  readonly more: number;
}

/** The hosts whose scripts and connections a policy blocks: those that the message names, in its order. */
export function blockedHosts(text: string, data: Values | undefined): BlockedHosts | undefined {
  const known = z.array(hostSchema).safeParse(data?.["hosts"]);
  const named = known.success ? namedIn(text, known.data, hostLine) : undefined;
  return named && { hosts: named.items, more: named.more };
}

const sourceSchema = z.object({ source: z.string(), ...counts.shape, url: z.string(), reason: z.string() });

export interface LettingSources {
  readonly sources: readonly z.output<typeof sourceSchema>[];
  /** Sources that the message only counts. */
  readonly more: number;
}

/** The sources by which a policy lets something malicious in: those that the message names, in its order. */
export function lettingSources(text: string, data: Values | undefined): LettingSources | undefined {
  const known = z.array(sourceSchema).safeParse(data?.["sources"]);
  const named = known.success ? namedIn(text, known.data, letInLine) : undefined;
  return named && { sources: named.items, more: named.more };
}

/**
 * Items for which the message has a line each, as `write` writes them. Others it only counts, and where it is too long
 * the rest of it is cut off.
 */
function namedIn<T>(
  text: string,
  known: readonly T[],
  write: (one: T) => string,
): { readonly items: readonly T[]; readonly more: number } | undefined {
  const indented = text.split("\n").filter((line) => line.startsWith("  "));
  const cut = indented.find((line) => / \(cut here: the whole text has \d+ characters\)$/.test(line));
  const rest = indented.find((line) => line.startsWith("  … "));
  const lines = indented.filter((line) => line !== rest && line !== cut);
  const items = known.slice(0, lines.length);
  const left = Math.max(1, known.length - lines.length);
  const more = cut ? left : Number(/ (\d+) more (?:host|source)s?$/.exec(rest ?? "")?.[1] ?? 0);
  const isWhole = more > 0 || known.length === lines.length;
  const isSaid =
    items.length === lines.length && items.every((one, at) => isSame(write(one), lines[at] ?? ""));
  return isWhole && isSaid ? { items, more } : undefined;
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
