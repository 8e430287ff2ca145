import { isDeepStrictEqual } from "node:util";
import { invalid } from "../wire/checks";
import * as wire from "../wire/entrypoint-body";
import { managedPhase, type SentEntrypoint, type SentRule } from "../wire/entrypoint-body";
import { type Answer, type ApiRequest, codes, ok, RefusalError, timestamp } from "../wire/operation";
import type { Zone, ZoneEntrypoint, ZoneRule } from "./zone";

type Stamp = Pick<ApiRequest, "now" | "mint">;

export function getEntrypoint({ zone, now }: ApiRequest): Answer {
  const { listLag } = zone.waf;
  const entrypoint = listLag !== null && now < listLag.until ? listLag.entrypoint : zone.entrypoint;
  if (entrypoint === null) {
    const message = `could not find entrypoint ruleset in the ${managedPhase} phase`;
    throw new RefusalError(404, codes.noEntrypoint, message);
  }
  return ok(onWire(entrypoint));
}

/** Replaces the whole list of rules, without a migration. */
export function putRules(request: ApiRequest): Answer {
  const { zone, query, body } = request;
  if (query.has("phase_two")) throw invalid("?phase_two", "is only known together with waf_migration");
  const sent = wire.readEntrypoint(body);
  wire.checkIdentity(sent, (text) => text !== "", "must not be an empty string");
  if (zone.waf.stage === "old") {
    throw new RefusalError(400, codes.enrollment, "WAF enrollment is required");
  }
  return saveEntrypoint(zone, sent, request);
}

/** Saves `sent` as the entry point. Known rules keep their ids; all other rules are new. */
export function saveEntrypoint(zone: Zone, sent: SentEntrypoint, stamp: Stamp): Answer {
  const before = zone.entrypoint;
  const known = before?.rules ?? [];
  const matches = identify(sent.rules, known);
  const rules = sent.rules.map((rule, index) => savedRule(rule, matches[index], stamp));
  wire.refuseRepeated("ref", rules);
  const after: ZoneEntrypoint = {
    id: before?.id ?? stamp.mint(),
    name: sent.name ?? before?.name ?? "default",
    description: sent.description ?? before?.description ?? "",
    kind: "zone",
    phase: managedPhase,
    version: String(Number(before?.version ?? "0") + 1),
    last_updated: timestamp(stamp.now),
    rules,
  };
  zone.entrypoint = after;
  const { lagMs, lagsEverywhere } = zone.waf;
  if (lagsEverywhere) zone.waf.listLag = { entrypoint: before, until: stamp.now + lagMs };
  return ok(onWire(after), before === null || !isDeepStrictEqual(meaning(before), meaning(after)));
}

/** Finds the known rule for each sent rule, by `id` first, then by `ref`. Uses each known rule at most once. */
function identify(sent: readonly SentRule[], known: readonly ZoneRule[]): readonly (ZoneRule | undefined)[] {
  const byId = sent.map((rule) => known.find((candidate) => candidate.id === rule.id));
  const used = new Set(byId);
  return sent.map((rule, index) => {
    const match = byId[index] ?? known.find((other) => other.ref === rule.ref && !used.has(other));
    used.add(match);
    return match;
  });
}

function savedRule(sent: SentRule, match: ZoneRule | undefined, { now, mint }: Stamp): ZoneRule {
  const { id: _id, version: _version, ref: sentRef, ...rest } = sent;
  const id = match?.id ?? mint();
  const ref = sentRef || (match?.ref ?? id);
  // The server adds the version of the managed ruleset that it runs.
  const parameters =
    sent.action === "execute" ? { ...sent.action_parameters, version: "latest" } : sent.action_parameters;
  const content = { ref, ...rest, ...(parameters !== undefined && { action_parameters: parameters }) };
  if (match !== undefined) {
    const { id: _, version: _before, last_updated: _lastUpdated, ...before } = match;
    if (isDeepStrictEqual(before, content)) return match;
  }
  const version = String(Number(match?.version ?? "0") + 1);
  return { id, version, last_updated: timestamp(now), ...content };
}

/** Returns an entry point without the fields that the server sets on each write. */
function meaning({ name, description, rules }: ZoneEntrypoint): unknown {
  return [name, description, rules.map(({ version: _version, last_updated: _lastUpdated, ...rule }) => rule)];
}

/** Returns an entry point as the API shows it: without the field `rules` if there are no rules. */
function onWire({ rules, ...ruleset }: ZoneEntrypoint): unknown {
  return rules.length === 0 ? ruleset : { ...ruleset, rules };
}
