/** What a finding is to someone who has to approve a change, the most urgent first. */
export type Concern = "undone" | "malicious" | "visitors" | "others" | "beside" | "taken" | "rest";

type Severity = "error" | "warning" | "info" | "warning or error";

interface Row {
  /** Default: `rest`. */
  readonly concern?: Concern;
  /** One sentence. */
  readonly means: string;
  readonly wayOut: string;
}

/** Findings by severity and code. */
export type FindingGroups = { readonly [S in Severity]?: Readonly<Record<string, Row>> };

/** One row of `docs/findings.md`, which `npm run findings` writes. */
export interface FindingMeaning extends Required<Row> {
  readonly severity: Severity;
}

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
    "inventory-policy-unknown": {
      means:
        "No enforced policy has the description that `integrity: { policy }` names and allows the script.",
      wayOut: "Correct the name, or declare the policy; a policy that only logs restricts nothing.",
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
    "inventory-unchecked": {
      means: "Nothing checks the contents of the script: `integrity: { any }`.",
      wayOut: "Assure its integrity by hashes, SRI or a policy, or show the reason to your assessor.",
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

/** Findings about CSP policies. */
export const policyFindings = {
  error: {
    "csp-action-not-known": {
      means: "This service does not know the action.",
      wayOut: "Use one of the actions that the message names, or change `service`.",
    },
    "csp-no-such-lint-rule": {
      means: "`lint.off` names a rule that does not exist.",
      wayOut: "Correct the name; [CSP lint rules](csp-lint-rules.md) lists them all.",
    },
    "csp-not-logged-yet": {
      concern: "visitors",
      means: "A new policy would block at once, before it has logged.",
      wayOut: 'Begin with `action: "log"`, or remove `minimumLogDays`.',
    },
    "csp-not-writable": {
      means: "No policy text can express what `directives` declares.",
      wayOut: "Correct the directive that the message names.",
    },
    "csp-release-unclear": {
      means: "`release` contradicts `policies` or `others`.",
      wayOut: 'Name in `release` only keys that leave the set, with `others: "keep"`.',
    },
    "csp-set-incomplete": {
      means: "Some changes of a set failed; the others were applied and are in the state.",
      wayOut: "Fix what the message names and run `pulumi up` again: it does the rest.",
    },
    "csp-set-not-alone": {
      means: "The program declares an exact set and another resource for policies of the same zone.",
      wayOut: 'Move the single policies into the set, or set `others: "keep"`.',
    },
    "csp-too-early": {
      concern: "visitors",
      means: "The policy has not logged for as long as `minimumLogDays` requires.",
      wayOut: "Leave `action` at `log` until the date in the message.",
    },
    "csp-undeclared": {
      concern: "others",
      means: "The zone has policies that no resource declares, and `others` refuses them.",
      wayOut: "Declare them, delete them in the zone, or set `others` to `keep` or `delete`.",
    },
    "csp-value-or-directives": {
      means: "Both `value` and `directives` are given, or neither.",
      wayOut: "Give one of the two.",
    },
  },
  warning: {
    "csp-blocks-already": {
      means: "The policy blocks scripts or connections in use, and the zone enforces it already.",
      wayOut:
        "Nothing changes for visitors. If the site needs what is blocked, allow it (`page-guard suggest`) in a separate update.",
    },
    "csp-hidden-not-seen": {
      concern: "visitors",
      means: "The service does not show all scripts and connections in use, so some were not checked.",
      wayOut:
        "Leave `action` at `log` until the reports show no violation by scripts of `/cdn-cgi/`, or of a library under another URL.",
    },
    "csp-impact-unknown": {
      concern: "visitors",
      means: "What the policy would block is not known.",
      wayOut:
        'Fix what the message names (usually the plan); `impact: "off"` skips the check. If nothing was seen, switch monitoring on and wait for visitors. If inputs are not known yet, the update checks them; or apply what they depend on first.',
    },
    "csp-lets-malicious-in": {
      concern: "malicious",
      means: "The policy allows something malicious that is on the pages.",
      wayOut: "Remove it from the pages, and allow what is needed of its host by path or URL.",
    },
    "csp-key-removed": {
      means: "A policy leaves the set, and the update deletes it.",
      wayOut:
        "Nothing to do if that is intended. To keep the policy for another resource, name its key in `release`.",
    },
    "csp-near-miss": {
      concern: "beside",
      means: "The zone has a policy that closely matches the declared one, and it is not adopted.",
      wayOut: "Declare the policy exactly as it is there if it is meant to be this one.",
    },
    "csp-not-checked": {
      concern: "visitors",
      means: "The policy restricts things that the service does not list, so these were not checked.",
      wayOut: 'Open the pages with `action: "log"` first and read their reports.',
    },
    "csp-one-policy-for-two": {
      means: "Two resources have the same policy in the state.",
      wayOut: "Nothing to do: this resource gets a policy of its own.",
    },
    "csp-released-before": {
      means:
        "An earlier version left policies of the set to other resources. The set no longer manages them.",
      wayOut: "Delete in the zone what no other resource declares and nobody needs.",
    },
    "csp-set-no-room": {
      means: "Policies were deleted before the new ones were created, because the zone was full.",
      wayOut: "Nothing to do. To avoid the gap, delete policies first, in a separate `up`.",
    },
    "csp-undeclared-deleted": {
      concern: "others",
      means: "A policy that no resource declares is deleted, as `others` says.",
      wayOut: 'Declare what should stay, or set `others: "keep"`.',
    },
    "csp-undeclared-unclear": {
      concern: "others",
      means:
        "A policy of the zone may be a declared one whose values are not known yet; otherwise it is undeclared.",
      wayOut: "Write the values in the program, or run `pulumi up` once for what they depend on.",
    },
  },
  info: {
    "csp-adopted": {
      concern: "taken",
      means: "The zone has exactly this policy already, and this resource adopts it.",
      wayOut:
        'Nothing to do if that is intended: `destroy` then deletes it; with `onDestroy: "keep"` it stays.',
    },
  },
  "warning or error": {
    "csp-blocks-in-use": {
      concern: "visitors",
      means: "The policy would block scripts or connections in use.",
      wayOut:
        'Allow what the site needs (`page-guard suggest`), or leave `action` at `log`. Remove what is malicious from the pages. With `impact: "error"` only what is not malicious fails.',
    },
  },
} as const satisfies FindingGroups;

/** Findings about inputs, settings, states and the run itself. */
export const runFindings = {
  error: {
    "base-url-not-allowed": {
      concern: "others",
      means:
        "The environment names the base URL, and a program, a state or a stack config names another one.",
      wayOut: "Remove the other base URL, or list it in the environment variable `PAGE_GUARD_BASE_URLS`.",
    },
    "import-option": {
      means: "The resource option `import` does not work for these resources.",
      wayOut:
        "Remove the option: what the zone has is adopted. For many objects, use `page-guard export` and its `import.json`.",
    },
    "input-invalid": {
      means: "An argument has a value that it cannot have.",
      wayOut: "Correct the argument; the message says what is expected.",
    },
    "input-lost-name": {
      means: "A name in the arguments would be lost on its way to the provider.",
      wayOut: "Choose another name.",
    },
    "input-unknown-argument": {
      means: "The resource has no such argument.",
      wayOut: "Correct the name; the message has the closest one.",
    },
    "nothing-to-get": {
      means: "No object has the id that `get` names.",
      wayOut: "Correct the id in the program.",
    },
    "offline-apply": {
      means: "PAGE_GUARD_OFFLINE is set, so nothing is applied.",
      wayOut: "Unset PAGE_GUARD_OFFLINE.",
    },
    "program-refused": {
      means: "The program has invalid declarations; nothing declared with them was changed.",
      wayOut: "Fix what is reported for each resource.",
    },
    "provider-forged": {
      concern: "others",
      means: "A resource with a type of this package runs code of the program's own, with the token.",
      wayOut:
        "Do not approve it. Declare the resource with its class, and read what the program's own provider does. `page-guard apply` never applies it.",
    },
    "state-of-newer-version": {
      means: "A newer version of this package wrote the state.",
      wayOut: "Install the version that made the last update, or a newer one.",
    },
    "state-unreadable": {
      means: "The state was edited or damaged: it holds what this package does not write.",
      wayOut:
        "Restore an earlier checkpoint with `pulumi stack import`, or remove the resource from the state and import it again.",
    },
    "two-for-one-zone": {
      means: "Two resources declare what a zone has only once.",
      wayOut: "Keep one of the two and move both declarations into it.",
    },
    unexpected: {
      means: "An unexpected failure.",
      wayOut: "Run again; if it keeps failing, report it with the message.",
    },
    "version-too-old": {
      means: "Node or @pulumi/pulumi is too old.",
      wayOut: "Install what the message names.",
    },
  },
  warning: {
    offline: {
      means: "No request is sent to the service, so much was not checked.",
      wayOut: "Unset PAGE_GUARD_OFFLINE where the service can be reached.",
    },
    "plain-token": {
      means: "The API token is in the stack's config without encryption.",
      wayOut: "Write it with `pulumi config set --secret page-guard:apiToken`, and replace the token.",
    },
  },
  info: {
    "settings-adopted": {
      concern: "taken",
      means: "The zone's settings are in use already, and this resource adopts them.",
      wayOut: "Nothing to do if that is intended; the message says what a destroy restores.",
    },
  },
} as const satisfies FindingGroups;
