/**
 * A function that reads an inventory, for policy packs. `pulumi-page-guard/policy` has more functions for policy packs.
 *
 * @module
 */
import type { ApprovedScript } from "pulumi-page-guard/policy";
import { parseInventory } from "./inventory/inventory-file";

export type { ApprovedScript };

/**
 * Returns the approved scripts in the text of an inventory, as `page-guard inventory` writes it, without scripts that are gone.
 *
 * @throws Error with the line and message of the first fault, if the inventory has any.
 */
export function approvedScripts(inventory: string): readonly ApprovedScript[] {
  const { entries, faults } = parseInventory(inventory);
  const [fault] = faults;
  if (fault) throw new Error(`line ${fault.line}: ${fault.message}`);
  return entries
    .filter(({ approved, gone }) => approved !== undefined && gone === undefined)
    .flatMap(({ match, host }) => {
      const url = match.text.replaceAll("*", "x");
      const pages = host.length === 0 ? [url] : host.map((one) => `https://${one}/`);
      return pages.map((pageUrl) => ({ url, pageUrl }));
    });
}
