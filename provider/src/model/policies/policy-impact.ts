/** Impact of an `allow` policy on the items that were in use when the policy was last changed. */
export interface PolicyImpact {
  /** Number of scripts and connections in use that the policy blocks. */
  readonly blocked: number;
  /** Number of malicious items among the blocked ones. Visitors miss only the others. Absent in states of earlier versions. */
  readonly keepsOut?: number | undefined;
  /** Number of malicious scripts and connections that the policy allows. Absent in states of earlier versions. */
  readonly letsIn?: number | undefined;
  /** Number of scripts and connections that were checked. */
  readonly examined: number;
  /** Number of blocked items by host, for at most 20 hosts. */
  readonly hosts: Readonly<Record<string, number>>;
}
