import { type InventoryEntry, parseInventory } from "../../../command/src/inventory/inventory-file";
import * as seenScript from "../../../command/src/inventory/seen-script";
import type { Policy } from "../../../provider/src/api/client-types";
import { script } from "../../csp/items";

/** Returns a hash for each number. */
export function hashOf(number: number): string {
  return number.toString(16).padStart(64, "0");
}

export function policy(fields: Partial<Policy> = {}): Policy {
  return {
    policyId: "p1",
    description: "checkout",
    action: "allow",
    expression: 'http.host eq "shop.example"',
    enabled: true,
    value: "script-src https://js.example",
    ...fields,
  };
}

/** Returns scripts as they are compared, with the given fields. */
export function seen(
  items: readonly (Parameters<typeof script>[0] | string)[],
  options: Partial<seenScript.SeenOptions> = {},
): readonly seenScript.SeenScript[] {
  const scripts = items.map((one) => script(typeof one === "string" ? { url: one } : one));
  return seenScript.readSeenScripts(scripts, { policies: [policy()], threshold: 50, ...options });
}

/** Returns the entries of a text, which must have no faults. */
export function entriesOf(text: string): readonly InventoryEntry[] {
  const { entries, faults } = parseInventory(text);
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  return entries;
}
