import { z } from "zod";
import type { Policy } from "../../api/client-types";
import { hostLine, letInLine } from "../../csp/impact/impact-lines";
import { deletedText } from "../../resources/csp-policy-set/undeclared";
import { type LostRules, overwrittenText } from "../../resources/managed-waf-entrypoint/findings";
import { readableRules } from "../../resources/waf-migration/readable-rules";
import { asRule } from "../../resources/waf-migration/rules";
import { appliedSchema, positionSchema } from "../../resources/waf-migration/state";
import { triedText } from "../../resources/waf-migration/texts";
import { message } from "../../text/message";
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

/** What the message has a line each for, in its order. */
export interface Named<T> {
  readonly items: readonly T[];
  /** What it says of the others; empty where it names them all. */
  readonly rest: string;
}

/** The hosts whose scripts and connections a policy blocks. */
export function blockedHosts(text: string, data: Values | undefined): Named<ToldHost> | undefined {
  const known = z.array(hostSchema).safeParse(data?.["hosts"]);
  return known.success ? namedIn(text, known.data, hostLine) : undefined;
}

const sourceSchema = z.object({ source: z.string(), ...counts.shape, url: z.string(), reason: z.string() });
export type ToldSource = z.output<typeof sourceSchema>;

/** The sources by which a policy lets something malicious in. */
export function lettingSources(text: string, data: Values | undefined): Named<ToldSource> | undefined {
  const known = z.array(sourceSchema).safeParse(data?.["sources"]);
  return known.success ? namedIn(text, known.data, letInLine) : undefined;
}

/** Where a message is too long its end is cut off: the lines before that count. */
function namedIn<T>(text: string, known: readonly T[], write: (one: T) => string): Named<T> | undefined {
  const indented = text.split("\n").filter((line) => line.startsWith("  "));
  const cut = indented.find((line) => / \(cut here: the whole text has \d+ characters\)$/.test(line));
  const counted = indented.find((line) => line.startsWith("  … "));
  const lines = indented.filter((line) => line !== counted && line !== cut);
  const rest = cut ? `${known.length - lines.length} are cut off` : (counted?.trim() ?? "");
  const items = known.slice(0, lines.length);
  const isWhole = lines.length > 0 && (rest !== "" || known.length === lines.length);
  const isSaid =
    items.length === lines.length && items.every((one, at) => isSame(write(one), lines[at] ?? ""));
  return isWhole && isSaid ? { items, rest } : undefined;
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
