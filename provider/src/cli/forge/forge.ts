export interface Question {
  readonly method: "GET" | "POST" | "PATCH" | "PUT";
  /** After the base URL, with its query. */
  readonly path: string;
  readonly body?: object;
  /** A POST that changes nothing, so that it may be repeated. */
  readonly isRead?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** A comment or an issue. */
export interface Written {
  /** The id of a comment, the number of an issue. */
  readonly id: number;
  readonly body: string;
  /** Written by the owner of this token. A text of others is never edited, even if it has our marker. */
  isOurs(): Promise<boolean>;
  readonly url?: string | undefined;
}

/** Comments of a pull or merge request, or the open issues of a project. */
export interface Board {
  /** For messages: `shop/infra#12`. */
  readonly name: string;
  /** All pages, oldest first. */
  list(): AsyncIterable<Written>;
  /** @throws UnclearError if it may or may not have been created. */
  add(body: string): Promise<Written>;
  edit(id: number, body: string): Promise<Written>;
  /** Of issues. */
  close(id: number): Promise<unknown>;
}

/** Whether jobs of an environment wait for approval. */
export interface JobApproval {
  /** Someone has to approve before such a job runs. */
  readonly asks: boolean;
  /** Who has to approve, or why nobody has to and what to do. Safe to show. */
  readonly text: string;
  /** Ways around a second person. Safe to show. */
  readonly gaps: readonly string[];
}

/** `text`: why nobody has to approve, and what to do. */
export function noApproval(text: string): JobApproval {
  return { asks: false, text, gaps: [] };
}

/** GitHub or GitLab. */
export interface Forge {
  /** Comments of a pull or merge request. */
  comments(number: number): Board;
  issues(title: string): Board;
  jobApproval(environment: string): Promise<JobApproval>;
  /** The pull or merge request of this CI run. */
  readonly number: number | undefined;
  /** Disarms text that the forge would execute as a command. */
  fit(body: string): string;
}

/** A request that may or may not have been carried out. */
export class UnclearError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}
