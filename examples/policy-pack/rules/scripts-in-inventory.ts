import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceValidationPolicy } from "@pulumi/policy";
import { type ApprovedScript, approvedScripts } from "page-guard/policy";
import { isClosedSecret, policiesOf, sourcesWithoutApproval } from "pulumi-page-guard/policy";
import { exemptions, reporter } from "../exemptions";

/**
 * Enforced policies allow scripts only from sources in the inventory (docs/commands/inventory.md): each source allows at least one
 * approved script. Only zones that `inventories` names are checked.
 */
export const scriptsInInventory: ResourceValidationPolicy = {
  name: "scripts-in-inventory",
  description: "Enforced policies allow scripts only from sources with an approved script in the inventory.",
  severity: "medium",
  configSchema: {
    properties: {
      ...exemptions,
      /** Path of the inventory file for each zone id, relative to the folder of the pack. */
      inventories: { type: "object", additionalProperties: { type: "string" }, default: {} },
    },
  },
  validateResource: (args, reportViolation) => {
    const { inventories = {} } = args.getConfig<{ inventories?: Record<string, string> }>();
    // Read no policy if there is nothing to check, because a value that a preview does not know yet would stop the rule.
    if (Object.keys(inventories).length === 0) return;
    const report = reporter(args, reportViolation);
    for (const policy of policiesOf(args).filter(({ isEnforced }) => isEnforced)) {
      const { key, value } = policy;
      const resource = key === undefined ? args.name : `${args.name}/${key}`;
      const zoneId: unknown = args.props["zoneId"];
      const file = inventories[String(zoneId).toLowerCase()];
      if (isClosedSecret(zoneId)) {
        const text =
          "its zone is a secret that cannot be decrypted here, so nobody can say which inventory counts.";
        report({ rule: "closed-secret", resource, text });
        continue;
      }
      if (file === undefined) return;
      if (value === undefined) {
        report({ rule: "closed-secret", resource, text: "its text is a secret that cannot be decrypted." });
        continue;
      }
      for (const source of sourcesWithoutApproval(value, readApproved(file))) {
        const text = `${source} allows no script that is approved in ${file}. Remove this source, or approve a script from it.`;
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
