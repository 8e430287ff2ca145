import type { ConnectionArgs, Policy } from "../api/client-types";
import { type ItemsInUse, itemsInUse, partialItems } from "../api/paging/items-in-use";
import type { Impact } from "../csp/impact/impact";
import { PageGuardError } from "../errors/page-guard-error";
import type { Finding } from "../lifecycle/finding";
import type { Properties } from "../lifecycle/kind";
import { inZone } from "../lifecycle/memory";
import type { Run } from "../lifecycle/run";
import { containsUnknown } from "../lifecycle/unknown";
import { blockedData, letInData, mostNamed } from "./impact-data";
import type { PolicyImpact } from "./policy-impact";

/** Lines of blocked items that a finding shows. */
const maxLines = 20;

/** What a run has read and found of a zone. */
interface Seen {
  items: Promise<ItemsInUse> | undefined;
  /** By what is sent of the policy. */
  readonly impacts: Map<string, PolicyImpact>;
}

const seenIn = inZone((): Seen => ({ items: undefined, impacts: new Map() }));

/**
 * What an `allow` policy would block of what is in use. One read of a zone's scripts and connections a run.
 * `isInForce`: the zone enforces the very policy today, so nothing of it is new to visitors.
 */
export async function impactFindings(
  run: Run,
  now: Properties,
  text: unknown,
  isInForce = false,
): Promise<Finding[]> {
  const level = now["impact"] ?? "warn";
  const { zoneId, expression, connection } = now;
  if (level === "off" || typeof text !== "string" || typeof expression !== "string") return [];
  if (containsUnknown([zoneId, text, expression, connection])) return [];
  let inUse: ItemsInUse;
  try {
    inUse = await knownItems(run, String(zoneId), connection as ConnectionArgs | undefined);
  } catch (error) {
    if (!(error instanceof PageGuardError) || level === "error") throw error;
    const message = `what this policy would block could not be looked at: ${error.message} impact "off" does without.`;
    return [{ severity: "warning", code: "csp-impact-unknown", property: "", message }];
  }
  const { hostsOf, impact, nothingSeen, renderLetIn, seenItems } = matcher();
  const items = seenItems(inUse.scripts, inUse.connections);
  const found = impact(text, items, { hosts: hostsOf(expression) });
  seenIn(run, zoneId).impacts.set(policyKey(text, expression), summary(found));
  const nothing = nothingSeen(found);
  return [
    ...(found.blockedCount === 0
      ? []
      : [isInForce ? blockedAlreadyFinding(found) : blockedFinding(found, level)]),
    ...(found.letsIn.length === 0 ? [] : [letInFinding(found, renderLetIn(found, { maxLines }))]),
    ...(nothing === undefined ? [] : [nothingSeenFinding(nothing)]),
    ...(inUse.isPartial ? [hiddenFinding()] : []),
  ];
}

/** Loaded with the first policy that blocks; without what lints and suggests. */
function matcher() {
  return {
    ...(require("../csp/expression/expression") as typeof import("../csp/expression/expression")),
    ...(require("../csp/impact/impact") as typeof import("../csp/impact/impact")),
    ...(require("../csp/impact/impact-lines") as typeof import("../csp/impact/impact-lines")),
    ...(require("../csp/impact/seen-item") as typeof import("../csp/impact/seen-item")),
  };
}

/** Loss fails where `level` says so; gain alone never does. */
function blockedFinding(found: Impact, level: unknown): Finding {
  const { breaks, keepsOut } = found;
  const isLoss = breaks.scripts + breaks.connections > 0;
  const isGain = keepsOut.scripts + keepsOut.connections > 0;
  const advice = [
    ...(isLoss ? [`Allow what is needed, or leave action at "log".`] : []),
    ...(isGain ? ["Take what is malicious off the pages."] : []),
  ].join(" ");
  return {
    severity: level === "error" && isLoss ? "error" : "warning",
    code: "csp-blocks-in-use",
    property: "",
    message: `with action "allow" this policy ${blockedLines(found)}\n${advice}`,
    data: { ...blockedData(found) },
  };
}

function blockedAlreadyFinding(found: Impact): Finding {
  const message = `the zone enforces this policy already, so nothing changes for visitors. It ${blockedLines(found)}`;
  const data = { ...blockedData(found) };
  return { severity: "warning", code: "csp-blocks-already", property: "", message, data };
}

function blockedLines(found: Impact): string {
  return matcher().render(found, { maxLines }).join("\n");
}

function letInFinding({ letsIn }: Impact, lines: readonly string[]): Finding {
  const message = `with action "allow" this policy ${lines.join("\n")}\nTake it off the pages; name what is needed of these hosts by path or URL.`;
  const data = { ...letInData(letsIn) };
  return { severity: "warning", code: "csp-lets-malicious-in", property: "", message, data };
}

function nothingSeenFinding(what: string): Finding {
  const message = `${what}, so what this policy would block is not known. See that monitoring is on and that pages have been visited since, or leave action at "log".`;
  return { severity: "warning", code: "csp-impact-unknown", property: "", message };
}

function hiddenFinding(): Finding {
  const message = `not all that is in use could be checked: ${partialItems}. This policy may block some of them: keep action at "log" until the reports show none.`;
  return { severity: "warning", code: "csp-hidden-not-seen", property: "", message };
}

/** The impact that `check` of this run found for the policy as it is now; undefined when it was not asked. */
export function knownImpact(
  run: Run,
  zoneId: string,
  policy: Pick<Policy, "value" | "expression">,
): PolicyImpact | undefined {
  return seenIn(run, zoneId).impacts.get(policyKey(policy.value, policy.expression));
}

function knownItems(run: Run, zoneId: string, connection: ConnectionArgs | undefined): Promise<ItemsInUse> {
  const seen = seenIn(run, zoneId);
  seen.items ??= itemsInUse(run.client(connection), zoneId);
  return seen.items;
}

function summary({ blockedCount, checkedCount, keepsOut, letsIn, groups }: Impact): PolicyImpact {
  const named = groups.slice(0, mostNamed).map(({ host, items }) => [host, items.length] as const);
  return {
    blocked: blockedCount,
    keepsOut: keepsOut.scripts + keepsOut.connections,
    letsIn: new Set(letsIn.flatMap(({ items }) => items)).size,
    examined: checkedCount,
    hosts: Object.fromEntries(named),
  };
}

function policyKey(value: string, expression: string): string {
  return JSON.stringify([value, expression]);
}
