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
 * Whether the data of a finding agree with the engine's message. Data come from the findings file, which the program under
 * review can write, so they only count if writing the message from them again gives the same text.
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
export type ListedHost = z.output<typeof hostSchema>;

/** Items that the message lists, in its order. */
export interface Listed<T> {
  readonly items: readonly T[];
  /** What it says about the others; empty if it lists all. */
  readonly rest: string;
}

/** The hosts whose scripts and connections a policy blocks. */
export function blockedHosts(text: string, data: Values | undefined): Listed<ListedHost> | undefined {
  return listedIn(text, z.array(hostSchema).safeParse(data?.["hosts"]).data, hostLine);
}

const sourceSchema = z.object({ source: z.string(), ...counts.shape, url: z.string(), reason: z.string() });
export type ListedSource = z.output<typeof sourceSchema>;

/** The sources by which a policy lets something malicious in. */
export function lettingSources(text: string, data: Values | undefined): Listed<ListedSource> | undefined {
  return listedIn(text, z.array(sourceSchema).safeParse(data?.["sources"]).data, letInLine);
}

/** The end of a long message is cut off; the lines before it count. */
function listedIn<T>(
  text: string,
  known: readonly T[] | undefined,
  write: (one: T) => string,
): Listed<T> | undefined {
  if (!known) return undefined;
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

/** Unmanaged policies that an exact set deletes. */
export function deletedPolicies(text: string, data: Values | undefined): readonly Policy[] | undefined {
  const known = z.array(policySchema).safeParse(data?.["policies"]).data;
  return known && isSame(deletedText(known), text) ? known : undefined;
}

const lostSchema = z.object({
  rules: z.array(recordedRule),
  becomes: z.object({ index: z.number(), differs: z.string() }).optional(),
});

/** Unmanaged rules that an entry point deletes, or the one that it changes. */
export function lostRules(text: string, data: Values | undefined): LostRules | undefined {
  const known = lostSchema.safeParse(data?.["lost"]).data;
  const written = known && orNothing(() => overwrittenText(known));
  return isSame(written, text) ? known : undefined;
}

const planSchema = z.object({ from: positionSchema, configuration: appliedSchema });
export type MigrationPlan = z.output<typeof planSchema>;

/** What a migration sends, and the stage of the zone before it. */
export function migrationPlan(text: string, data: Values | undefined): MigrationPlan | undefined {
  const known = planSchema.safeParse(data).data;
  if (!known) return undefined;
  const rules = orNothing(() => planLines(known).join("\n"));
  if (rules === undefined || !withoutSpace(text).includes(withoutSpace(message(rules)))) return undefined;
  return !text.startsWith("FINISHES") || text.includes(triedText(known.from)) ? known : undefined;
}

/** The rules of a plan, as its message has them. */
export function planLines({ configuration: { name, rules } }: MigrationPlan): readonly string[] {
  return readableRules({ name, rules: rules.map(asRule) });
}

function isSame(text: string | undefined, said: string): boolean {
  return text !== undefined && withoutSpace(message(text)) === withoutSpace(said);
}

export function withoutSpace(text: string): string {
  return text.replace(/\s+/g, "");
}

/** The data may come from anyone, and be no rule at all. */
function orNothing<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
