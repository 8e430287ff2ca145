import type { FindingGroups } from "./findings";

/** Findings about the managed WAF's rules and the migration to it. */
export const wafFindings = {
  error: {
    "expression-unreadable": {
      means: "A filter expression cannot be parsed, so the service would refuse it.",
      wayOut: "Correct what the message names.",
    },
    "migration-answer-contradicted": {
      means: "`unclearAttempt` contradicts what the zone shows.",
      wayOut: 'Check the zone\'s WAF page again; write `outcome: "accepted"`, or remove `unclearAttempt`.',
    },
    "migration-answer-outdated": {
      means: "`unclearAttempt` is about another attempt than the one in the state.",
      wayOut: "Check again, and write the `startedAt` that the message names.",
    },
    "migration-backwards": {
      means: "A finished migration cannot go back to validation.",
      wayOut: 'Write `stage: "finished"`; edit rules in a `ManagedWafEntrypoint`.',
    },
    "migration-edited": {
      concern: "others",
      means: "The migration would undo edits that someone made to the rules since they were sent.",
      wayOut: "Add the edits as `ruleOverrides`, give the whole list in `configuration`, or revert them.",
    },
    "migration-no-answer": {
      means: "A request of the migration got no clear answer, and was not sent again.",
      wayOut: "Run `pulumi up` again: it reads the zone first.",
    },
    "migration-no-configuration": {
      means: "The service proposes no configuration for the zone.",
      wayOut: "Check the zone's WAF page, or give the whole `configuration`.",
    },
    "migration-not-confirmed": {
      means: "`confirm` does not repeat the zone's id.",
      wayOut: "Write the zone's id in `confirm` if that is the zone to migrate.",
    },
    "migration-not-eligible": {
      means: "The service says that the zone cannot be migrated.",
      wayOut: "Check the zone's WAF page in the dashboard.",
    },
    "migration-not-there-yet": {
      means: "The service has accepted the stage, and the zone does not show it yet.",
      wayOut: "Run `pulumi up` again: it keeps waiting and sends nothing.",
    },
    "migration-other-zone": {
      means: "A migration stays with its zone.",
      wayOut: "Declare another `WafMigration` for the other zone.",
    },
    "migration-override-unknown": {
      means: "An override names a ruleset or a rule that the configuration does not have.",
      wayOut: "Correct the id; the message has the closest one.",
    },
    "migration-refused": {
      means: "The service refused the request; nothing has changed.",
      wayOut: "Fix the cause in the message. Validation exists on Enterprise zones only.",
    },
    "migration-too-large": {
      means: "The configuration is larger than the service can migrate.",
      wayOut: "Delete rules, shorten expressions, or ask the vendor's support.",
    },
    "migration-unclear": {
      means: "The migration state is ambiguous; nothing is sent.",
      wayOut:
        "Run `pulumi up` again in a few minutes. If it stays so, finish in the dashboard, or answer with `unclearAttempt` where the message asks for it.",
    },
    "migration-uri-overrides": {
      means: "The zone has URI-based overrides, which exclude it from the migration.",
      wayOut: "Delete them with the API, then preview again.",
    },
    "migration-without-checkpoints": {
      means: "PULUMI_SKIP_CHECKPOINTS is set, so nothing would be in the state.",
      wayOut: "Unset the variable for the stack that holds the migration.",
    },
    "waf-foreign-rules": {
      concern: "others",
      means: "Writing the declared list would delete unmanaged rules.",
      wayOut: "Declare them too, or say in `foreignRules` what to do with them.",
    },
    "waf-ref-in-use": {
      concern: "others",
      means: "An unmanaged rule has the `ref` of a declared one.",
      wayOut: "Give the declared rule another `ref`, or declare it exactly as it is there.",
    },
    "waf-ref-twice": {
      means: "Two declared rules have the same `ref`.",
      wayOut: "Give each rule a `ref` of its own.",
    },
  },
  warning: {
    "migration-counts-as-finished": {
      means: "The status cannot be read long after the finish: the migration counts as finished.",
      wayOut: "Check the zone's WAF page in the dashboard.",
    },
    "migration-no-effect": {
      means: "The migration is finished, so the change has no effect.",
      wayOut: "Edit the rules in a `ManagedWafEntrypoint`.",
    },
    "migration-not-checked": {
      concern: "undone",
      means: "The zone could not be read before the update, which may do what cannot be undone.",
      wayOut: "Apply what the named inputs depend on in a separate update, and preview again.",
    },
    "waf-foreign-rules-new": {
      concern: "others",
      means: "Someone else has added rules since the last refresh.",
      wayOut: "Declare them if they are to stay with `overwrite`; ask who created them.",
    },
    "waf-rule-near-miss": {
      concern: "beside",
      means: "The zone has a rule that closely matches a declared one, and it is not adopted.",
      wayOut: "Declare it exactly as it is there to adopt it.",
    },
    "waf-rules-overwritten": {
      concern: "others",
      means: "Unmanaged rules are deleted or changed, as `foreignRules` says.",
      wayOut: 'Set `foreignRules: "keep"` if the rules should stay.',
    },
  },
  "warning or error": {
    "migration-destroy": {
      means: "A migration cannot be undone, so its destroy is refused.",
      wayOut: "Set `allowForget: true`, run `pulumi up` once, then destroy: the zone stays as it is.",
    },
  },
  info: {
    "waf-rules-adopted": {
      concern: "taken",
      means: "The zone has declared rules already, and this resource adopts them.",
      wayOut: "Nothing to do if that is intended; the message says what a destroy does with them.",
    },
    "migration-finishes": {
      concern: "undone",
      means: "The migration finishes: the previous WAF is switched off for good.",
      wayOut: "None: it cannot be undone. Approve it only when validation has shown what the new WAF does.",
    },
    "migration-settling": {
      means: "The zone has just been changed, and is read again in a moment.",
      wayOut: "Nothing to do.",
    },
    "migration-adopted": {
      concern: "taken",
      means: "The zone is already at this stage; nothing is sent.",
      wayOut: "Nothing to do.",
    },
    "migration-under-way": {
      concern: "undone",
      means: "The finish is in progress; nothing is sent, the update waits for its end.",
      wayOut: "Nothing to do, and nothing can be undone.",
    },
    "migration-validates": {
      concern: "undone",
      means: "Validation begins: the zone cannot go back to the previous WAF alone.",
      wayOut: "None that leads back to the previous WAF alone. Watch its events, then finish.",
    },
    "migration-waiting": {
      means: "How far the migration is, while the update waits for it.",
      wayOut: "Nothing to do.",
    },
  },
} as const satisfies FindingGroups;
