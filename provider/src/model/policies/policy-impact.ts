/** What an `allow` policy does to what was seen when it was last changed. */
export interface PolicyImpact {
  /** Scripts and connections in use that the policy blocks. */
  readonly blocked: number;
  /** How many of the blocked items are malicious; visitors miss the rest. Absent in a state that an earlier version wrote. */
  readonly keepsOut?: number | undefined;
  /** Malicious scripts and connections that the policy allows. Absent where an earlier version recorded it. */
  readonly letsIn?: number | undefined;
  /** How many scripts and connections were checked. */
  readonly examined: number;
  /** Host of the blocked items to their number. */
  readonly hosts: Readonly<Record<string, number>>;
}
