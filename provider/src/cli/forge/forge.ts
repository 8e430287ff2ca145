/** A comment or an issue as it stands there. */
export interface Written {
  /** What it is edited by: the id of a comment, the number of an issue. */
  readonly id: number;
  readonly body: string;
  /** Whether this token's owner has written it: what somebody else has begun with our marker is left alone. */
  isOurs(): Promise<boolean>;
  /** Where a person reads it. */
  readonly url?: string | undefined;
}

/** Comments of one request for review, or the open issues of a project. */
export interface Board {
  /** For messages: `shop/infra#12`. */
  readonly name: string;
  /** All pages, oldest first. */
  list(): AsyncIterable<Written>;
  /** @throws UnclearError when nobody knows whether it was made. */
  add(body: string): Promise<Written>;
  edit(id: number, body: string): Promise<Written>;
}

/** Issues have a title, and an end. */
export interface IssueBoard extends Board {
  close(id: number): Promise<void>;
}

/** What stands between a merge and the jobs of an environment. */
export interface Gate {
  /** A person has to agree before such a job runs. */
  readonly asks: boolean;
  /** Who is asked, or why nobody is and what to do. Safe to show. */
  readonly text: string;
  /** How it can be passed without a second person. Safe to show. */
  readonly gaps: readonly string[];
}

/** GitHub or GitLab: the two places where a pipeline shows what it has to say. */
export interface Forge {
  /** Comments of a pull or merge request. */
  comments(number: number): Board;
  issues(title: string): IssueBoard;
  gate(environment: string): Promise<Gate>;
  /** The number of the request for review that this pipeline runs for, where the CI tells. */
  readonly number: number | undefined;
  /** Makes a text fit for this place: what would be carried out there is not. */
  fit(body: string): string;
}

/** A request was sent, and whether it was carried out is not known. */
export class UnclearError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}
