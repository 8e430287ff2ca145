import type { FindingGroups } from "./finding-meaning";

/** Findings of `page-guard inventory`. */
export const inventoryFindings = {
  error: {
    "inventory-changed": {
      concern: "visitors",
      means: "The script has other contents than those that were approved, so its approval no longer holds.",
      wayOut:
        "Review the script, then add its hash: `page-guard inventory approve PATTERN --hash HASH …`. If nobody expected the change, remove it from the pages.",
    },
    "inventory-incomplete": {
      means: "Not all of the zone could be compared with its inventory.",
      wayOut:
        "Fix what the message names: the token's permissions, monitoring, or a plan that hides scripts.",
    },
    "inventory-invalid": {
      means: "The file of the inventory has an entry that cannot be read.",
      wayOut: "Correct the line that the message names; [the page](inventory.md) lists all fields.",
    },
    "inventory-malicious": {
      concern: "malicious",
      means: "A script on the pages is reported as malicious, or its integrity score is below the threshold.",
      wayOut: "Remove it from the pages, whoever approved it; then find out how it got there.",
    },
    "inventory-no-integrity": {
      means: "An approved entry does not say how the integrity of the script is assured.",
      wayOut: "Add `integrity`: hashes, a policy, SRI, or the reason why there is none.",
    },
    "inventory-no-justification": {
      means: "An approved entry does not say why the page needs the script.",
      wayOut: "Write its `justification`.",
    },
    "inventory-not-listed": {
      concern: "visitors",
      means: "A script on the pages is in no entry of the inventory.",
      wayOut: "Run `page-guard inventory update` and approve the entry, or remove the script from the pages.",
    },
    "inventory-unapproved": {
      concern: "visitors",
      means: "An entry of the inventory is not approved.",
      wayOut: "Review the script, then run `page-guard inventory approve`, or remove it from the pages.",
    },
  },
  warning: {
    "inventory-gone": {
      means: "The service no longer lists a script of the inventory.",
      wayOut: "Run `page-guard inventory update`, which marks the entry as gone, or remove the entry.",
    },
    "inventory-matched-twice": {
      means: "Two entries of the inventory match one script, so it is not clear which approval holds.",
      wayOut: "Narrow the `match` of one of them, or remove it.",
    },
    "inventory-matches-nothing": {
      means: "An entry matches no script, and was not added by `page-guard inventory update`.",
      wayOut: "Correct `match`, or remove the entry.",
    },
    "inventory-not-allowed": {
      concern: "visitors",
      means: "No enforced policy allows the script.",
      wayOut:
        "Allow it in a policy if the site needs it; else remove it from the pages and from the inventory.",
    },
    "inventory-nothing-enforced": {
      concern: "visitors",
      means: "The zone enforces no policy, so nothing keeps out what is not in the inventory.",
      wayOut:
        'Declare a policy with `action: "allow"` once its reports show no violation that the site needs.',
    },
    "inventory-returned": {
      concern: "visitors",
      means: "A script that was marked as gone is seen again.",
      wayOut: "Find out why; then remove the line `gone` of its entry.",
    },
    "inventory-review-overdue": {
      means: "The day until which an approval was to be reviewed is over.",
      wayOut: "Review the entry and set `reviewBy` to a later day.",
    },
  },
  info: {
    "inventory-hash-unknown": {
      means:
        "The entry lists hashes and the service gives none for the script, so its contents were not compared.",
      wayOut: "Nothing to do if the plan has no hashes; choose another integrity method then.",
    },
    "inventory-weak-integrity": {
      means: "The integrity method of an entry does not check the contents of the script.",
      wayOut: "Nothing to do if that is accepted; hashes or SRI are stronger.",
    },
  },
} as const satisfies FindingGroups;
