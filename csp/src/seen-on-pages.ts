/** What scripts and connections share that pages were seen to use. A list of `pulumi-page-guard` fits as it is. */
interface SeenOnPages {
  readonly url: string;
  /** Of the page that it was seen on. */
  readonly host?: string;
  /** The page, with or without a scheme. */
  readonly firstPageUrl?: string;
  readonly status?: ItemStatus;
  /** ISO 8601. */
  readonly firstSeenAt?: string;
  /** ISO 8601: when it was first listed; used where `firstSeenAt` is absent. */
  readonly addedAt?: string;
  /** ISO 8601. */
  readonly lastSeenAt?: string;
  readonly domainReportedMalicious?: boolean;
  readonly urlReportedMalicious?: boolean;
  readonly maliciousDomainCategories?: readonly string[];
  readonly maliciousUrlCategories?: readonly string[];
}

/** How often it is met: `infrequent` by few visitors, `inactive` by nobody of late. */
export type ItemStatus = "active" | "infrequent" | "inactive" | (string & {});

/** A script that pages were seen to load. */
export interface SeenScript extends SeenOnPages {
  /** 1 to 99; lower is worse. Below the threshold (50) a script counts as malicious. */
  readonly jsIntegrityScore?: number;
}

/** A connection that pages were seen to make. */
export interface SeenConnection extends SeenOnPages {}
