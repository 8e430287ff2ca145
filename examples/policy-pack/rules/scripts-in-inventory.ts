import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceValidationPolicy } from "@pulumi/policy";
import {
  type ApprovedScript,
  approvedScripts,
  policiesOf,
  sourcesWithoutApproval,
} from "pulumi-page-guard/policy";
import { exemptions, reporter } from "../exemptions";

/**
 * Enforced policies allow scripts of the inventory (docs/inventory.md) alone: each source allows at least one script that was
 * approved. Only zones that `inventories` names are checked.
 */
export const scriptsInInventory: ResourceValidationPolicy = {
  name: "scripts-in-inventory",
  description: "Enforced policies allow scripts only from where the inventory of the zone has approved one.",
  severity: "medium",
  configSchema: {
    properties: {
      ...exemptions,
      /** Zone id to the file, relative to the folder of the pack. */
      inventories: { type: "object", additionalProperties: { type: "string" }, default: {} },
    },
  },
  validateResource: (args, reportViolation) => {
    const { inventories = {} } = args.getConfig<{ inventories?: Record<string, string> }>();
    const file = inventories[String(args.props["zoneId"]).toLowerCase()];
    if (file === undefined) return;
    const report = reporter(args, reportViolation);
    for (const { key, isEnforced, value } of policiesOf(args)) {
      const resource = key === undefined ? args.name : `${args.name}/${key}`;
      if (!isEnforced) continue;
      if (value === undefined) {
        report({ rule: "closed-secret", resource, text: "its text is a secret that cannot be opened here." });
        continue;
      }
      for (const source of sourcesWithoutApproval(value, readApproved(file))) {
        const text = `${source} allows no script that ${file} has approved. Remove it, or approve a script from there.`;
        report({ rule: "not-in-inventory", resource, text });
      }
    }
  },
};

function readApproved(file: string): readonly ApprovedScript[] {
  try {
    return approvedScripts(readFileSync(join(__dirname, "..", file), "utf8"));
  } catch (error) {
    throw new Error(
      `The inventory ${file} cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}
