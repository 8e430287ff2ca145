/**
 * A function that reads an inventory, for policy packs. `pulumi-page-guard/policy` has more functions for policy packs.
 *
 * @module
 */
import type { ApprovedScript } from "pulumi-page-guard/policy";
import { parseInventory } from "./inventory/inventory-file";

export type { ApprovedScript };

/**
 * Returns the scripts that an inventory approves, except those that it marks as gone. `inventory` is the text of the file that
 * `page-guard inventory` writes.
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
