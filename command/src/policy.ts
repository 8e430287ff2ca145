/**
 * Functions with which a policy pack reads an inventory. Other functions for policy packs: `pulumi-page-guard/policy`.
 *
 * @module
 */
import type { ApprovedScript } from "pulumi-page-guard/policy";
import { parseInventory } from "./inventory/inventory-file";

export type { ApprovedScript };

/**
 * Returns the approved scripts of an inventory, as `page-guard inventory` writes it. Leaves out scripts that are gone.
 *
 * @throws Error with the line of the first fault.
 */
export function approvedScripts(inventory: string): readonly ApprovedScript[] {
  const { entries, faults } = parseInventory(inventory);
  const [fault] = faults;
  if (fault) throw new Error(`line ${fault.line}: ${fault.message}`);
  return entries
    .filter(({ approved, gone }) => approved !== undefined && gone === undefined)
    .flatMap(({ match, host }) => {
      const url = match.text.replaceAll("*", "x");
      return (host.length === 0 ? [url] : host.map((one) => `https://${one}/`)).map((pageUrl) => ({
        url,
        pageUrl,
      }));
    });
}
