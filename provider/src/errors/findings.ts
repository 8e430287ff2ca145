/**
 * Groups of findings for a person who approves a change. `undone`: the change cannot be undone. `malicious`: malicious items are
 * allowed. `visitors`: visitors may notice the change. `others`: unmanaged policies and rules. `beside`: an object is created
 * although a close match exists. `taken`: an object is adopted. `rest`: anything else. A review shows errors in a separate group.
 */
export type Concern = "undone" | "malicious" | "visitors" | "others" | "beside" | "taken" | "rest";

type Severity = "error" | "warning or error" | "warning" | "info";

/** A row of `docs/findings.md`. `npm run findings` writes the row, except for the column that says what to do. */
export interface FindingMeaning {
  readonly severity: Severity;
  readonly concern: Concern;
  readonly means: string;
}

const findings = {
  error: {
    malicious: {
      "inventory-malicious":
        "A script on the pages is reported as malicious, or its integrity score is below the threshold.",
    },
    visitors: {
      "csp-not-logged-yet":
        "A new policy would block at once, although `minimumLogDays` requires it to log first.",
      "csp-too-early": "The policy has not logged for as long as `minimumLogDays` requires.",
      "inventory-changed":
        "The contents of the script differ from those that were approved, so its approval no longer applies.",
      "inventory-not-listed": "A script on the pages is in no entry of the inventory.",
      "inventory-unapproved": "An entry of the inventory is not approved.",
    },
    others: {
      "base-url-not-allowed":
        "The program, the state or the stack config sets a base URL that is not among those that the environment allows.",
      "csp-undeclared": "The zone has policies that no resource declares, and `others` is `refuse`.",
      "migration-edited":
        "The migration would undo edits that someone has made to the rules since the stack sent them.",
      "provider-forged":
        "A resource with a type of this package runs code from the program instead of this package's code, and that code would get the token.",
      "waf-foreign-rules": "Writing the declared list would delete unmanaged rules.",
      "waf-ref-in-use": "An unmanaged rule has the `ref` of a declared one.",
    },
    rest: {
      "csp-action-not-known": "The API that `service` selects does not have this action.",
      "csp-no-such-lint-rule": "`lint.off` names a rule that does not exist.",
      "csp-not-writable": "`directives` contains a name or a source that a policy cannot contain.",
      "csp-release-unclear": "`release` contradicts `policies` or `others`.",
      "csp-set-incomplete": "Some changes to a set failed; the others were applied and are in the state.",
      "csp-set-not-alone":
        'The program declares a set with `others: "refuse"` or `"delete"`, but another resource also declares policies in the same zone.',
      "csp-value-or-directives": "Both `value` and `directives` are given, or neither.",
      "expression-unreadable": "A filter expression cannot be parsed, so the service would refuse it.",
      "import-option": "The resource option `import` does not work for these resources.",
      "input-invalid": "An argument has an invalid value.",
      "input-lost-name": "A name in the arguments (`__proto__`) would be lost on its way to the provider.",
      "input-unknown-argument": "The resource has no such argument.",
      "inventory-incomplete": "A part of the zone could not be compared with its inventory.",
      "inventory-unwatched": "Page Guard is switched off for a zone that has an inventory.",
      "inventory-invalid": "The inventory file has a fault, such as an entry that cannot be read.",
      "inventory-no-integrity": "An approved entry does not say how the integrity of the script is assured.",
      "inventory-no-justification": "An approved entry does not say why the page needs the script.",
      "migration-answer-contradicted": "`unclearAttempt` contradicts what the zone shows.",
      "migration-answer-outdated": "`unclearAttempt` is not about the attempt in the state.",
      "migration-backwards": "A finished migration cannot go back to validation.",
      "migration-canceled": "The update was canceled before the migration request, so nothing was sent.",
      "migration-destroy": "A migration cannot be undone, so its destroy is refused.",
      "migration-no-answer": "A request of the migration got no clear response, and was not sent again.",
      "migration-no-configuration": "The service proposes no configuration for the zone.",
      "migration-import": "A WAF migration cannot be imported.",
      "migration-not-confirmed": "`confirm` does not repeat the zone's id.",
      "migration-not-eligible": "The service says that the zone cannot be migrated.",
      "migration-not-there-yet": "The service has accepted the stage, but the zone does not show it yet.",
      "migration-other-zone": "A migration cannot be moved to another zone.",
      "migration-override-unknown":
        "An override names a ruleset or a rule that the configuration does not have.",
      "migration-refused": "The service refused the request; nothing has changed.",
      "migration-too-large": "The configuration is larger than the service can migrate.",
      "migration-unclear": "The migration state is ambiguous; nothing is sent.",
      "migration-uri-overrides": "The zone has URI-based overrides, which exclude it from the migration.",
      "migration-without-checkpoints":
        "PULUMI_SKIP_CHECKPOINTS is set, so an interrupted migration would not be in the state.",
      "nothing-to-get": "No object has the id that `get` names.",
      "offline-apply": "PAGE_GUARD_OFFLINE is set, so nothing is applied.",
      "package-not-in-program":
        "pulumi-page-guard cannot be loaded from the program's folder, where the engine loads it.",
      "program-refused":
        "The program has invalid declarations, so none of the resources that it declares together with them was changed.",
      "remediation-not-approved":
        "During the update, a policy pack changed an input to a value that was not approved, or did not change it as approved.",
      "remediation-opens-secret": "A policy pack returned a secret input as plain text.",
      "remediation-refused": "A policy pack changed an input that only the program may set.",
      "state-of-newer-version": "A newer version of this package wrote the state.",
      "state-unreadable":
        "The state was edited or damaged: it contains something that this package never writes.",
      "two-for-one-zone": "Two resources declare the same object, which exists only once in a zone.",
      unexpected: "An unexpected failure.",
      "version-too-old": "Node or @pulumi/pulumi is too old.",
      "waf-ref-twice": "Two declared rules have the same `ref`.",
    },
  },
  "warning or error": {
    visitors: {
      "csp-blocks-in-use": "The policy would block scripts or connections in use.",
    },
  },
  warning: {
    undone: {
      "migration-not-checked":
        "The zone could not be read before the update, and the update may do something that cannot be undone.",
    },
    malicious: {
      "csp-lets-malicious-in": "The policy allows malicious items that are in use on the pages.",
    },
    visitors: {
      "csp-hidden-not-seen":
        "The service does not show all scripts and connections in use, so some were not checked.",
      "csp-impact-unknown": "The check could not find out what the policy would block.",
      "csp-not-checked":
        "Besides scripts and connections, the policy restricts things that the service does not list, so these were not checked.",
      "inventory-not-allowed": "No enforced policy allows the script.",
      "inventory-nothing-enforced":
        "The zone enforces no policy for scripts, or none that covers one of its payment pages, so nothing blocks scripts that are not in the inventory.",
      "inventory-policy-open":
        "An enforced policy of a zone with payment pages allows scripts from anywhere.",
      "inventory-contents":
        "A script on the payment pages has new contents, and its integrity method does not prevent that.",
      "inventory-first-seen": "A script that is new on the pages matches the `*` of an approved entry.",
      "inventory-returned": "A script that was marked as gone is seen again.",
      "waf-rules-reordered":
        "Two rules in the zone swap places, and at least one of them blocks, challenges or skips. This finding also appears when a changed `order` moves the declared rules.",
      "waf-skips-nothing":
        "A declared `skip` rule skips nothing, because no rule after it runs a managed ruleset.",
    },
    others: {
      "csp-undeclared-deleted":
        "A policy that no resource declares is deleted, because `others` is `delete`.",
      "csp-undeclared-unclear":
        "Some values of declared policies are not known yet, so it is not clear whether a policy in the zone is a declared one.",
      "waf-foreign-rules-new": "Someone else has added rules since the last update or refresh.",
      "waf-rules-overwritten":
        "Unmanaged rules are deleted or changed, because `foreignRules` is `overwrite`.",
    },
    beside: {
      "csp-near-miss": "The zone has a policy that closely matches the declared one, but it is not adopted.",
      "waf-rule-near-miss": "The zone has a rule that closely matches a declared one, but it is not adopted.",
    },
    rest: {
      "csp-blocks-already":
        "The policy blocks scripts or connections in use, and the zone enforces it already.",
      "csp-key-removed": "A policy leaves the set, and the update deletes it.",
      "csp-one-policy-for-two":
        "The policy in the state belongs to another resource, or another resource has deleted it.",
      "csp-released-before":
        "An earlier version of this package removed policies from the set without deleting them. The set no longer manages them.",
      "csp-set-no-room": "Policies were deleted before the new ones were created, because the zone was full.",
      "expression-impossible-host":
        "A filter expression compares the host with a value that no request can have as its host, so this comparison never matches (or always, with `ne`).",
      "inputs-remediated": "A policy pack changed inputs, and the changed values are used.",
      "inventory-approved-early":
        "The approval may be backdated: it does not include the script's hash and is dated before the script was first seen, or its lines were committed to this file more than a week after its date (a renamed file is still the same file).",
      "inventory-gone": "The service no longer lists a script of the inventory.",
      "inventory-matched-twice":
        "Two entries of the inventory match one script, so it is not clear which approval applies.",
      "inventory-matches-nothing":
        "An entry matches no script, and was not added by `page-guard inventory update`.",
      "inventory-policy-unknown":
        "The policy that `integrity: { policy }` names is not enforced, or does not allow the script.",
      "inventory-review-overdue": "The date by which an approval had to be reviewed has passed.",
      "inventory-unchecked":
        "The entry has `integrity: { any }`, so nothing checks the contents of the script.",
      "migration-counts-as-finished":
        "The service shows no status, but `unclearAttempt` says that the finish was accepted, so the package treats the migration as finished.",
      "migration-no-effect": "The migration is finished, so the change has no effect.",
      offline: "No request is sent to the service, so many things were not checked.",
      "plain-token": "The API token is in the stack's config without encryption.",
    },
  },
  info: {
    undone: {
      "migration-finishes": "The update finishes the migration: the previous WAF is switched off for good.",
      "migration-under-way": "The migration is finishing: nothing is sent, and the update waits for it.",
      "migration-validates":
        "Validation begins or is adjusted: the zone can never again run only the previous WAF.",
    },
    taken: {
      "csp-adopted": "The zone already has exactly this policy, and this resource adopts it.",
      "migration-adopted": "The zone is already at this stage; nothing is sent.",
      "settings-adopted": "The zone already has settings, and this resource adopts them.",
      "waf-rules-adopted":
        "The zone already has rules that this resource declares, and the resource adopts them.",
    },
    rest: {
      "inventory-same-approval": "Several entries are approved with the same reason and the same reference.",
      "inventory-hash-unknown":
        "The entry lists hashes, but the service gives none for the script, so the contents were not compared.",
      "inventory-weak-integrity":
        "The integrity method of an entry does not check the contents of the script.",
      "migration-settling":
        "Before the update sends its request, it reads the zone a second time, half a minute after the first.",
      "migration-waiting": "Reports the progress of the migration while the update waits for it.",
    },
  },
} as const satisfies {
  readonly [S in Severity]: { readonly [C in Concern]?: Readonly<Record<string, string>> };
};

/** All findings by code. Only the commands use this table; the provider uses its types. */
export const findingTable = Object.fromEntries(
  Object.entries(findings).flatMap(([severity, concerns]) =>
    Object.entries(concerns).flatMap(([concern, rows]) =>
      Object.entries(rows).map(([code, means]) => [code, { severity, concern, means }]),
    ),
  ),
) as Readonly<Record<NamedFinding, FindingMeaning>>;

type CodesIn<S extends Severity> = {
  [C in keyof (typeof findings)[S]]: keyof (typeof findings)[S][C] & string;
}[keyof (typeof findings)[S]];

export type NamedFinding = { [S in Severity]: CodesIn<S> }[Severity];

/** Codes without a row in the table: codes of lint rules, and of errors. */
type LentCode = `csp-lint-${string}` | `PG_${string}`;

/** The stable name of each message about a resource. A message about an error has the code of that error. */
export type FindingCode = NamedFinding | LentCode;

/** The codes that a finding of this severity can have. */
export type CodeOf<S extends "error" | "warning" | "info"> =
  | CodesIn<S>
  | (S extends "info" ? never : CodesIn<"warning or error">)
  | LentCode;
