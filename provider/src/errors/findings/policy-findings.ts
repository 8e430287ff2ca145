import type { FindingGroups } from "./finding-meaning";

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
        'Fix what the message names (usually the token\'s permissions or the plan); `impact: "off"` skips the check. If nothing was seen, switch monitoring on and wait for visitors. If inputs are not known yet, the update checks them; or apply what they depend on first.',
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
    "csp-adopted": {
      concern: "taken",
      means: "The zone has exactly this policy already, and this resource adopts it.",
      wayOut:
        'Nothing to do if that is intended: `destroy` then deletes it; with `onDestroy: "keep"` it stays.',
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
  "warning or error": {
    "csp-blocks-in-use": {
      concern: "visitors",
      means: "The policy would block scripts or connections in use.",
      wayOut:
        'Allow what the site needs (`page-guard suggest`), or leave `action` at `log`. Remove what is malicious from the pages. With `impact: "error"` only what is not malicious fails.',
    },
  },
} as const satisfies FindingGroups;
