/** Position of a declaration in the program, if known. */
export interface Place {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** A WAF migration that starts or finishes. Its name, zone and stage come from the engine's step, never from a finding. */
export interface ReviewMigration extends Place {
  /** Kind and name of the resource, such as `WafMigration new-waf`. */
  readonly name: string;
  /** Undefined if the zone is not known yet. */
  readonly zone: string | undefined;
  readonly stage: string;
  /** Sentences that say whether the zone has been in validation, and what the migration would do. */
  readonly facts: readonly string[];
  /** Lines of the preview's findings about the migration, except the first line of each. These lines list the rules to send. */
  readonly remarks: readonly string[];
}

/** An unmanaged object that is deleted or overwritten. */
export interface ReviewLoss {
  readonly kind: "policy" | "rule";
  readonly fate: "deleted" | "overwritten" | "maybe deleted";
  readonly label: string;
  /** The zones that contain the object, each with the object's id in this zone. */
  readonly places: readonly { readonly zone: string | undefined; readonly id: string | undefined }[];
  /** Resources that delete or overwrite the object, such as `CspPolicySet shop`. */
  readonly by: readonly string[];
  /** Fields of the object except `description` and `policyId`, each with its value as text. */
  readonly content: readonly (readonly [name: string, text: string])[];
}

/** Zones with the same facts. */
export interface ReviewZone {
  readonly zones: readonly string[];
  /** Facts that an approver must see. */
  readonly grave: readonly string[];
  readonly changes: string;
}

/** A property before and after the change, as text. A side is undefined if the property does not exist there. */
export interface ReviewDifference {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A finding or a change. Equal findings or changes of several resources are one entry. The strings may come from outside. */
export interface ReviewEntry extends Place {
  /** Kinds and names of the resources, such as `CspPolicy checkout`; empty for the stack as a whole. */
  readonly subjects: readonly string[];
  readonly zones: readonly string[];
  /** The code of a finding. A change has none. */
  readonly code?: string | undefined;
  readonly severity?: "error" | "warning" | "info";
  /** The text of a finding. Its indented lines belong to the line above. */
  readonly text?: string;
  /** The engine's operation, such as `update`. `differences` lists the properties that this operation changes. */
  readonly op?: string;
  /** Whether the change has already happened, outside of Pulumi. */
  readonly isPast?: boolean;
  readonly differences?: readonly ReviewDifference[];
}

export interface ReviewPart {
  readonly title: string;
  readonly isFolded?: boolean;
  /** Whether the part comes before the overview of zones. */
  readonly isUrgent?: boolean;
  readonly entries: readonly ReviewEntry[];
}

export interface ReviewCounts {
  readonly policies: number;
  readonly rules: number;
  /** Number of zones whose settings change. */
  readonly settings: number;
  /** Number of policies that begin to enforce, or may begin to. */
  readonly begins: number;
}

/** A review for a person to read before approving. Its fields are in the order of reading. */
export interface Review {
  readonly stack: string | undefined;
  /** Whether the review is about many stacks. If so, each entry names its zone. */
  readonly isFleet?: true;
  readonly project: string | undefined;
  readonly version: string;
  readonly result: "succeeded" | "failed" | "unfinished";
  readonly exitCode: number;
  readonly isUnchanged: boolean;
  /** Whether the plan only adopts objects in the zones, without changing them. */
  readonly isAdoptionOnly: boolean;
  /** How the preview ended or, if it succeeded, the counts of changes in the zones: `1 policy to delete.` */
  readonly headline: string;
  /** Alerts that every reader must see, one sentence each. */
  readonly alerts: readonly string[];
  readonly counts: ReviewCounts;
  readonly undone: readonly ReviewMigration[];
  readonly losses: readonly ReviewLoss[];
  readonly zones: readonly ReviewZone[];
  /** Scripts and connections in use that visitors would lose. */
  readonly impact: {
    readonly scripts: number;
    readonly connections: number;
    /** Whether visitors might lose more: a policy begins to enforce without a check of its impact, or items were not counted. */
    readonly isUnknown: boolean;
  };
  /** Names of the zones in a `zones.yaml`, by zone id. */
  readonly names?: Readonly<Record<string, string>>;
  readonly parts: readonly ReviewPart[];
}
