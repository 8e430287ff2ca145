import type { ConnectionArgs, Policy } from "../../api/client-types";
import { type ItemsInUse, itemsInUse, partialItems } from "../../api/items-in-use";
import type { Impact } from "../../csp/impact";
import { PageGuardError } from "../../errors/page-guard-error";
import type { Finding } from "../../lifecycle/finding";
import type { Properties } from "../../lifecycle/kind";
import type { Run } from "../../lifecycle/run";
import { containsUnknown } from "../../lifecycle/unknown";
import type { PolicyImpact } from "./policy-impact";

/** Lines of blocked items that a finding shows. */
const maxLines = 20;
/** Hosts of blocked items that the output `impact` names. */
const maxHosts = 20;

const itemsKey = Symbol("items in use");
const impactKey = Symbol("impact of policies");

/** What an `allow` policy would block of what is in use. One read of a zone's scripts and connections a run. */
export async function impactFindings(run: Run, now: Properties, text: unknown): Promise<Finding[]> {
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
  const { hostsOf, impact, render, seenItems } = require("../../csp") as typeof import("../../csp");
  const found = impact(text, seenItems(inUse.scripts, inUse.connections), { hosts: hostsOf(expression) });
  impacts(run).set(policyKey(String(zoneId), text, expression), summary(found));
  const hidden = inUse.isPartial ? [hiddenFinding()] : [];
  if (found.blockedCount === 0) return hidden;
  const message = `with action "allow" this policy ${render(found, { maxLines }).join("\n")}\nAllow what is needed, or leave action at "log".`;
  const severity = level === "error" ? "error" : "warning";
  return [
    { severity, code: "csp-blocks-in-use", property: "", message, data: blockedData(found) },
    ...hidden,
  ];
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
  return impacts(run).get(policyKey(zoneId, policy.value, policy.expression));
}

function knownItems(run: Run, zoneId: string, connection: ConnectionArgs | undefined): Promise<ItemsInUse> {
  const zones = run.memory(itemsKey, () => new Map<string, Promise<ItemsInUse>>());
  let items = zones.get(zoneId);
  if (!items) {
    items = itemsInUse(run.client(connection), zoneId);
    zones.set(zoneId, items);
  }
  return items;
}

/** For who reads findings with a machine, and shows them in a table. */
function blockedData({ blockedCount, checkedCount, groups }: Impact): NonNullable<Finding["data"]> {
  const hosts = groups.slice(0, maxHosts).map(({ items, ...group }) => group);
  return { blocked: blockedCount, examined: checkedCount, hosts, moreHosts: groups.length - hosts.length };
}

function summary({ blockedCount, checkedCount, groups }: Impact): PolicyImpact {
  const named = groups.slice(0, maxHosts).map(({ host, items }) => [host, items.length] as const);
  return { blocked: blockedCount, examined: checkedCount, hosts: Object.fromEntries(named) };
}

function impacts(run: Run): Map<string, PolicyImpact> {
  return run.memory(impactKey, () => new Map<string, PolicyImpact>());
}

function policyKey(zoneId: string, value: string, expression: string): string {
  return JSON.stringify([zoneId, value, expression]);
}
