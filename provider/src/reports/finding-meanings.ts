import type { NamedFinding } from "../errors/finding-code";

/** What a finding is to somebody who has to approve a change, the most urgent first. */
export type Concern = "undone" | "fails" | "malicious" | "visitors" | "others" | "taken" | "rest";

export interface Meaning {
  readonly concern: Concern;
  /** One sentence; `docs/findings.md` has the same. */
  readonly means: string;
}

/** Every finding by its code. */
export const findingMeanings: Readonly<Record<NamedFinding, Meaning>> = {
  "approval-zone-unknown": others("Nobody could look at the zone before this was approved."),
  "csp-action-not-known": rest("The service under this name does not know the action."),
  "csp-blocks-already": rest(
    "The policy blocks scripts or connections that are in use, and the zone enforces it today already.",
  ),
  "csp-blocks-in-use": visitors("The policy would block scripts or connections that are in use."),
  "csp-hand-over-unclear": rest(
    "A policy moves from a single resource into a set, and its id cannot be told yet.",
  ),
  "csp-hidden-not-seen": visitors(
    "The service does not show all scripts and connections in use, so some were not checked.",
  ),
  "csp-impact-unknown": visitors("What the policy would block is not known."),
  "csp-left-behind": rest(
    "A policy that a set released for another resource was not adopted by it: it is deleted, or could not be.",
  ),
  "csp-lets-malicious-in": {
    concern: "malicious",
    means: "The policy allows something malicious that is on the pages.",
  },
  "csp-near-miss": taken("The zone has a policy that is nearly the declared one, and it is not taken over."),
  "csp-no-such-lint-rule": rest("`lint.off` names a rule that does not exist."),
  "csp-not-logged-yet": visitors("A new policy is to block at once, before it has logged."),
  "csp-not-looked-at": visitors(
    "The policy restricts things that the service does not list, so nobody has looked at them.",
  ),
  "csp-not-writable": rest("No policy text can say what `directives` declares."),
  "csp-one-policy-for-two": rest("Two resources have the same policy on record."),
  "csp-set-incomplete": rest("Some changes of a set failed; the others were made and are recorded."),
  "csp-set-no-room": rest(
    "Policies that are to go were deleted before the new ones, because the zone was full.",
  ),
  "csp-set-not-alone": rest("An exact set stands beside another resource for policies of its zone."),
  "csp-taken-over": taken("The zone has exactly this policy already, and it becomes this resource's."),
  "csp-too-early": visitors("The policy has not logged as long as `minimumLogDays` asks for."),
  "csp-undeclared": others("The zone has policies that nothing declares, and `others` refuses them."),
  "csp-undeclared-deleted": others("A policy that nothing declares is deleted, as `others` says."),
  "csp-undeclared-unclear": others(
    "A policy of the zone may be a declared one whose values are not known yet; else it is undeclared.",
  ),
  "csp-value-or-directives": rest("Both of `value` and `directives`, or neither, are given."),
  "expression-unreadable": fails("A filter expression cannot be read, so the service would refuse it."),
  "import-option": rest("The resource option `import` does not work for these resources."),
  "input-invalid": rest("An argument has a value that it cannot have."),
  "input-lost-name": rest("A name in the arguments would be lost on its way."),
  "input-unknown-argument": rest("The resource has no such argument."),
  "migration-answer-contradicted": rest("`unclearAttempt` says what the zone shows not to be so."),
  "migration-answer-outdated": rest("`unclearAttempt` speaks of another attempt than the recorded one."),
  "migration-backwards": rest("A finished migration cannot go back to validation."),
  "migration-counts-as-finished": rest(
    "The status cannot be read long after the finish: it counts as finished.",
  ),
  "migration-destroy": rest("A migration cannot be undone, so its destroy is refused."),
  "migration-edited": others("The migration would undo what somebody did to the rules since they were sent."),
  "migration-finishes": undone("The migration is finished: the previous WAF is switched off for good."),
  "migration-no-answer": rest("A request of the migration got no clear answer, and was not sent again."),
  "migration-no-configuration": rest("The service proposes no configuration for the zone."),
  "migration-no-effect": rest("The migration is finished, so the change has no effect."),
  "migration-not-confirmed": rest("`confirm` does not repeat the zone's id."),
  "migration-not-eligible": rest("The service says that the zone cannot be migrated."),
  "migration-not-looked-at": undone(
    "Nobody could look at the zone before the update, which may do what cannot be undone.",
  ),
  "migration-not-there-yet": rest("The service has accepted the stage, and the zone does not show it yet."),
  "migration-other-zone": rest("A migration stays with its zone."),
  "migration-override-unknown": rest(
    "An override names a ruleset or a rule that the configuration does not have.",
  ),
  "migration-refused": rest("The service refused the request; nothing has changed."),
  "migration-settling": rest("The zone has just been changed, and is looked at again in a moment."),
  "migration-taken-over": taken("The zone has this stage already; nothing is sent."),
  "migration-too-large": rest("The configuration is larger than the service moves."),
  "migration-unclear": rest("How far the zone is cannot be told for sure; nothing is sent."),
  "migration-under-way": undone("The finish is under way; nothing is sent, its end is waited for."),
  "migration-uri-overrides": rest("The zone has URI-based overrides, which exclude it from the migration."),
  "migration-validates": undone("Validation begins: the zone cannot go back to the previous WAF alone."),
  "migration-waiting": rest("How far the migration is, while it is waited for."),
  "migration-without-checkpoints": rest("PULUMI_SKIP_CHECKPOINTS is set, so nothing would be on record."),
  "nothing-to-get": rest("There is nothing with the id that `get` names."),
  offline: rest("Nothing is asked of the service, so much was not looked at."),
  "offline-apply": rest("PAGE_GUARD_OFFLINE is set, under which nothing is applied."),
  "plain-token": rest("The API token stands in the stack's config without encryption."),
  "program-refused": rest(
    "The program declares what cannot be; nothing of what it declares with it was changed.",
  ),
  "provider-forged": others(
    "A resource with a type of this package runs code of the program's own, with the token.",
  ),
  "settings-taken-over": taken("The zone's settings are in use already, and become this resource's."),
  "state-of-newer-version": rest("The state was written by a newer version of this package."),
  "state-unreadable": rest("The state was edited or damaged: it holds what this package does not write."),
  "two-for-one-zone": rest("Two resources declare what a zone has only once."),
  unexpected: rest("Something failed that this package did not foresee."),
  "version-too-old": rest("Node or @pulumi/pulumi is too old."),
  "waf-foreign-rules": others("Writing the declared list would delete rules of somebody else."),
  "waf-foreign-rules-new": others("Somebody else has added rules since the last look."),
  "waf-ref-in-use": others("A rule of somebody else has the `ref` of a declared one."),
  "waf-ref-twice": rest("Two declared rules have one `ref`."),
  "waf-rule-near-miss": others(
    "The zone has a rule that is nearly a declared one, and it is not taken over.",
  ),
  "waf-rules-overwritten": others("Rules of somebody else are deleted or changed, as `foreignRules` says."),
  "waf-rules-taken-over": taken("The zone has declared rules already, and they become this resource's."),
};

/** Of findings that are not listed one by one: lint rules and errors. */
export function meaningOf(code: string): Meaning {
  const named: Meaning | undefined = Object.hasOwn(findingMeanings, code)
    ? findingMeanings[code as NamedFinding]
    : undefined;
  if (named) return named;
  return code.startsWith("csp-lint-")
    ? rest("A lint rule has found something in a policy's text; docs/csp-lint-rules.md has them all.")
    : rest("An error; the README has a table of them.");
}

function undone(means: string): Meaning {
  return { concern: "undone", means };
}

function fails(means: string): Meaning {
  return { concern: "fails", means };
}

function visitors(means: string): Meaning {
  return { concern: "visitors", means };
}

function others(means: string): Meaning {
  return { concern: "others", means };
}

function taken(means: string): Meaning {
  return { concern: "taken", means };
}

function rest(means: string): Meaning {
  return { concern: "rest", means };
}
