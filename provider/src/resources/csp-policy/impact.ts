import type { ConnectionArgs, Policy } from "../../api/client-types";
import type { Impact } from "../../csp/impact";
import type { SeenItem } from "../../csp/seen-item";
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
  let items: readonly SeenItem[];
  try {
    items = await itemsInUse(run, String(zoneId), connection as ConnectionArgs | undefined);
  } catch (error) {
    if (!(error instanceof PageGuardError) || level === "error") throw error;
    const message = `what this policy would block could not be looked at: ${error.message} impact "off" does without.`;
    return [{ severity: "warning", code: "csp-impact-unknown", property: "", message }];
  }
  const { hostsOf, impact, render } = require("../../csp") as typeof import("../../csp");
  const found = impact(text, items, { hosts: hostsOf(expression) });
  impacts(run).set(policyKey(String(zoneId), text, expression), summary(found));
  if (found.blockedCount === 0) return [];
  const data = blockedData(found);
  const lines = render(found, { maxLines }).join("\n");
  if (isInForce) {
    const message = `the zone enforces this policy already, so nothing changes for visitors. It ${lines}`;
    return [{ severity: "warning", code: "csp-blocks-already", property: "", message, data }];
  }
  const message = `with action "allow" this policy ${lines}\nAllow what is needed, or leave action at "log".`;
  const severity = level === "error" ? "error" : "warning";
  return [{ severity, code: "csp-blocks-in-use", property: "", message, data }];
}

/** The impact that `check` of this run found for the policy as it is now; undefined when it was not asked. */
export function knownImpact(
  run: Run,
  zoneId: string,
  policy: Pick<Policy, "value" | "expression">,
): PolicyImpact | undefined {
  return impacts(run).get(policyKey(zoneId, policy.value, policy.expression));
}

function itemsInUse(
  run: Run,
  zoneId: string,
  connection: ConnectionArgs | undefined,
): Promise<readonly SeenItem[]> {
  const zones = run.memory(itemsKey, () => new Map<string, Promise<readonly SeenItem[]>>());
  let items = zones.get(zoneId);
  if (!items) {
    items = readItems(run, zoneId, connection);
    zones.set(zoneId, items);
  }
  return items;
}

async function readItems(
  run: Run,
  zoneId: string,
  connection: ConnectionArgs | undefined,
): Promise<readonly SeenItem[]> {
  const client = run.client(connection);
  const inUse = { status: ["active", "infrequent"] };
  const [scripts, connections] = await Promise.all([
    client.listAll("scripts", zoneId, inUse),
    client.listAll("connections", zoneId, inUse),
  ]);
  return [
    ...scripts.map((item) => ({ kind: "script" as const, item })),
    ...connections.map((item) => ({ kind: "connection" as const, item })),
  ];
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
