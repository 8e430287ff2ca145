export interface Question {
  readonly method: "GET" | "POST" | "PATCH" | "PUT";
  /** Below the base URL, with its query. */
  readonly path: string;
  readonly body?: object;
  /** A POST that changes nothing: it may be sent again. */
  readonly isRead?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}
