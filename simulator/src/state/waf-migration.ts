import { invalid } from "../wire/checks";
import { checkIdentity, readEntrypoint, type SentEntrypoint, type SentRule } from "../wire/entrypoint-body";
import {
  type Answer,
  type ApiRequest,
  codes,
  findOrRefuse,
  ok,
  RefusalError,
  timestamp,
} from "../wire/operation";
import { putRules, saveEntrypoint } from "./entrypoint";
import { paginate } from "./lists";
import type { JsonObject, Zone, ZoneWaf } from "./zone";

export function checkCompatibility({ zone, query, now }: ApiRequest): Answer {
  requirePhaseTwo(query);
  const waf = lagging(zone.waf, now);
  refuseWhenGone(waf);
  return ok({ compatible: isCompatible(waf), migration_state: stateName(waf) });
}

export function getConfiguration({ zone, query, now }: ApiRequest): Answer {
  requirePhaseTwo(query);
  const waf = zone.waf.lagsEverywhere ? lagging(zone.waf, now) : zone.waf;
  refuseWhenGone(waf);
  if (isOver(waf)) throw refused("there is no previous configuration to migrate");
  if (waf.overLimit === "refuse") refuseOverLimit(waf);
  return ok(deriveConfiguration(waf));
}

export function getStatus({ zone, now }: ApiRequest): Answer {
  const waf = lagging(zone.waf, now);
  const { on, off } = waf.statusValues;
  const status = wafStatus(waf, now);
  return ok({
    created: waf.created,
    migration_state: stateName(waf),
    new_waf_status: status.new ? on : off,
    old_waf_status: status.old ? on : off,
    source: waf.source,
  });
}

export function listUriOverrides({ zone, query }: ApiRequest): Answer {
  refuseWhenGone(zone.waf);
  const { items, info } = paginate(zone.waf.uriOverrides, query, 25);
  return ok(items, false, info);
}

export function deleteUriOverride({ zone, params }: ApiRequest): Answer {
  refuseWhenGone(zone.waf);
  const deleted = findOrRefuse(zone.waf.uriOverrides, params["override_id"], "override");
  zone.waf.uriOverrides = zone.waf.uriOverrides.filter((override) => override !== deleted);
  return ok({ id: deleted.id }, true);
}

/** Carries out the PUT of the entry point. With `waf_migration` in the query, it is a step of the migration. */
export function putEntrypoint(request: ApiRequest): Answer {
  const { zone, query, body } = request;
  if (!query.has("waf_migration")) return putRules(request);
  const { waf } = zone;
  const isValidation = readMode(query.get("waf_migration")) === "validation";
  if (!isValidation && isOver(waf)) waf.repeatedPending += 1;
  try {
    requirePhaseTwo(query);
    const sent = readEntrypoint(body);
    if (sent.name === undefined) throw invalid("/name", "is required by a migration update");
    if (waf.strictIds && isValidation) checkIdentity(sent, (text) => text === undefined, "must be left out");
    if (waf.strictIds && !isValidation) checkIdentity(sent, (text) => text === "", "must be an empty string");
    refuseStage(zone, isValidation);
    const overrides = waf.uriOverrides.length;
    if (overrides > 0) throw refused(`the zone has ${overrides} URI-based WAF overrides, delete them first`);
    if (!waf.eligible) throw refused("the zone is not eligible for the migration");
    refuseOverLimit(waf, sent);
    const answer = saveEntrypoint(zone, sent, request);
    (isValidation ? enterValidation : beginFinish)(waf, request.now, "api");
    return waf.answer === "null" ? ok(null, true) : { ...answer, changed: true };
  } catch (refusal) {
    waf[isValidation ? "refusedValidation" : "refusedPending"] += 1;
    throw refusal;
  }
}

/** Completes a change of stage once its time has come. */
export function settle(waf: ZoneWaf, now: number): void {
  if (waf.settlesAt === null || now < waf.settlesAt) return;
  waf.settlesAt = null;
  if (waf.stage === "finishing") waf.stage = "new";
}

export function wafStatus(waf: ZoneWaf, now: number): { old: boolean; new: boolean } {
  const { stage, oldEnabled, validated, settlesAt } = waf;
  const settling = settlesAt !== null && now < settlesAt;
  if (stage === "old") return { old: oldEnabled, new: false };
  if (stage === "validation") return { old: oldEnabled, new: !settling };
  return stage === "finishing" && settling ? { old: oldEnabled, new: validated } : { old: false, new: true };
}

export function stateName(waf: ZoneWaf): string {
  return waf.stateNames[waf.stage];
}

export function isCompatible(waf: ZoneWaf): boolean {
  return waf.eligible && waf.uriOverrides.length === 0 && !isOver(waf);
}

/** Enters validation mode. If the zone is already in it, only counts the update. */
export function enterValidation(waf: ZoneWaf, now: number, source: string): void {
  if (source === "api") waf.acceptedValidation += 1;
  if (waf.stage === "old") {
    noteLag(waf, now);
    waf.stage = "validation";
    waf.created = timestamp(now);
    waf.source = source;
    waf.settlesAt = now + waf.validationMs;
  }
  waf.validated = true;
  settle(waf, now);
}

/** Begins to finish the migration. From then on it cannot be undone. */
export function beginFinish(waf: ZoneWaf, now: number, source: string): void {
  if (source === "api") waf.acceptedPending += 1;
  waf.created ??= timestamp(now);
  waf.source = source;
  if (isOver(waf)) return;
  noteLag(waf, now);
  waf.stage = "finishing";
  waf.settlesAt = now + waf.finishMs;
  settle(waf, now);
}

/** Makes reads show the previous stage for a while, as if they came from an outdated copy. */
function noteLag(waf: ZoneWaf, now: number): void {
  if (waf.lagMs > 0) waf.lag = { stage: waf.stage, until: now + waf.lagMs };
}

function lagging(waf: ZoneWaf, now: number): ZoneWaf {
  return waf.lag !== null && now < waf.lag.until ? { ...waf, stage: waf.lag.stage, settlesAt: null } : waf;
}

/** Refuses requests about the previous WAF after the migration, if `afterFinish` says so. */
function refuseWhenGone(waf: ZoneWaf): void {
  if (waf.stage !== "new" || waf.afterFinish === "incompatible") return;
  const code = waf.afterFinish === "404" ? codes.notFound : codes.gone;
  throw new RefusalError(Number(waf.afterFinish), code, "the previous WAF no longer exists");
}

function refused(reason: string): RefusalError {
  return new RefusalError(400, codes.migration, reason);
}

function isOver(waf: ZoneWaf): boolean {
  return waf.stage === "finishing" || waf.stage === "new";
}

function readMode(value: string | undefined): "validation" | "pending" {
  if (value === "validation" || value === "2") return "validation";
  if (value === "pending" || value === "1") return "pending";
  throw invalid("?waf_migration", "must be pending (1) or validation (2)");
}

function requirePhaseTwo(query: ReadonlyMap<string, string>): void {
  if (query.get("phase_two") !== "1") throw invalid("?phase_two", "must be 1");
}

function refuseStage({ waf, plan }: Zone, isValidation: boolean): void {
  if (isOver(waf) && (isValidation || waf.repeats === "refuse"))
    throw new RefusalError(409, codes.conflict, "the migration of this zone has been accepted already");
  if (isValidation && plan !== "enterprise")
    throw new RefusalError(403, codes.notEntitled, "validation mode needs an Enterprise zone");
}

/** Id of the vendor's managed ruleset, as `config` returns it. */
export const managedRulesetId = "efb7b8c949ac4650a09736fc376e9aee";
export const owaspRulesetId = "4814384a9e5d4991b9815dcfc25d2f1f";
/** Id of the rule in the OWASP ruleset that acts when the score is reached. */
export const owaspScoringRuleId = "6179ae15870a4bb7b2d480d4843b323c";

/** Paranoia level and score threshold for each previous sensitivity, from the table in the migration documentation. */
const owaspMapping = {
  high: { paranoia: 2, threshold: 40 },
  medium: { paranoia: 1, threshold: 25 },
  low: { paranoia: 1, threshold: 40 },
  default: { paranoia: 2, threshold: 40 },
} as const;

/** Returns the new configuration that is equivalent to the previous one. `id`, `version` and `ref` are empty strings. */
export function deriveConfiguration(waf: ZoneWaf): { name: string; rules: SentRule[] } {
  const changed = waf.overrides.map((override) => ({ ...override }));
  const managed = { id: managedRulesetId, ...(changed.length > 0 && { overrides: { rules: changed } }) };
  const rules = [
    ...waf.firewallRules.map(({ expression, description }) => derived(expression, description)),
    ...waf.pageRules.map(({ pattern, setting }) => {
      const title = `Page rule: ${setting.replace(/^waf_/, "WAF ")} for ${pattern}`;
      const parameters = setting === "waf_on" ? { id: managedRulesetId } : undefined;
      return derived(`http.request.full_uri wildcard "${pattern}"`, title, parameters);
    }),
    derived("true", "Execute the managed ruleset", managed, waf.oldEnabled),
    ...owaspRules(waf),
  ];
  return { name: "default", rules };
}

/** Refuses zones and lists that exceed the limits of the API, because only the vendor's support can migrate them. */
function refuseOverLimit({ firewallRules }: ZoneWaf, sent?: SentEntrypoint): void {
  const skipping = sent?.rules.filter(({ action }) => action !== "execute").length ?? 0;
  const count = Math.max(firewallRules.length, skipping);
  if (count > 200)
    throw refused(`${count} firewall rules are too many: at most 200 can be migrated; contact support`);
  firewallRules.forEach(({ expression, description }, index) => {
    const bytes = Buffer.byteLength(expression);
    const rule = `firewall rule ${index + 1} (${description})`;
    if (bytes > 4096)
      throw refused(`the expression of ${rule} has ${bytes} bytes, over 4 KB; contact support`);
  });
}

function owaspRules({ owasp, oldEnabled }: ZoneWaf): SentRule[] {
  if (owasp === null) return [];
  const { paranoia, threshold } = owaspMapping[owasp.sensitivity];
  const categories = [2, 3, 4]
    .filter((level) => level > paranoia)
    .map((level) => ({ category: `paranoia-level-${level}`, enabled: false }));
  const action = owasp.action === "simulate" ? "log" : owasp.action;
  const overrides = { categories, rules: [{ id: owaspScoringRuleId, action, score_threshold: threshold }] };
  const parameters = { id: owaspRulesetId, overrides };
  return [derived("true", "Execute the OWASP ruleset", parameters, oldEnabled)];
}

/** Returns a rule without an identity: its `id`, `version` and `ref` are empty. */
function derived(
  expression: string,
  description: string,
  action_parameters: JsonObject = { ruleset: "current" },
  enabled = true,
): SentRule {
  const action = "id" in action_parameters ? "execute" : "skip";
  return { id: "", version: "", ref: "", action, action_parameters, expression, description, enabled };
}
