/** What an `allow` policy blocks of what was seen when it was last changed. */
export interface PolicyImpact {
  /** Scripts and connections in use that the policy blocks. */
  readonly blocked: number;
  /** Of how many that were looked at. */
  readonly examined: number;
  /** Host of the blocked item to the number of items. */
  readonly hosts: Readonly<Record<string, number>>;
}
