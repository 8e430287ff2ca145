import { message } from "../text/message";

/** Known facts about a failure. Never contain a token or a whole body. */
export interface ErrorFacts {
  /** The operation in words, such as `update the settings`. */
  readonly operation?: string | undefined;
  readonly zoneId?: string | undefined;
  readonly httpStatus?: number | undefined;
  /** The first `errors[].code` in the response. */
  readonly apiCode?: number | undefined;
  /** The service's own id for the request, to quote in a support case. */
  readonly requestId?: string | undefined;
  /** Path of the wrong input, such as `rules[2].expression`. */
  readonly property?: string | undefined;
}

/** Parts of an error message, in their order. */
export interface Explanation {
  readonly what: string;
  /** The probable cause. */
  readonly why?: string | undefined;
  /** How to fix it. */
  readonly fix?: string | undefined;
}

/** Base class of all errors of this package. To branch on an error, use `code`, which is stable across versions. */
export class PageGuardError extends Error {
  readonly code: `PG_${string}` | "base-url-not-allowed";
  declare readonly facts: ErrorFacts;
  declare readonly explanation: Explanation;

  /** @internal */
  constructor(code: ErrorCode, facts: ErrorFacts, explanation: Explanation, cause?: unknown) {
    super(message(sentence(explanation, facts)), cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    // Node prints all enumerable properties of an uncaught error, and the message already contains these.
    for (const [name, value] of Object.entries({ explanation: fit(explanation), facts })) {
      Object.defineProperty(this, name, { value, enumerable: false });
    }
  }
}

export type ErrorCode = PageGuardError["code"];

/** Makes each part safe to show, because a part may contain text from outside, and a caller may show it without the others. */
function fit({ what, why, fix }: Explanation): Explanation {
  return { what: message(what), why: why && message(why), fix: fix && message(fix) };
}

function sentence({ what, why, fix }: Explanation, facts: ErrorFacts): string {
  const where = [
    facts.zoneId && `zone ${facts.zoneId}`,
    facts.httpStatus !== undefined && `HTTP ${facts.httpStatus}`,
    facts.apiCode !== undefined && `API code ${facts.apiCode}`,
    facts.requestId && `request ${facts.requestId}`,
  ].filter(Boolean);
  // After the colon, an ordinary first word loses its capital letter.
  const reason = what.replace(/^[A-Z](?=[a-z]* )/, (letter) => letter.toLowerCase());
  const failed = facts.operation ? `Failed to ${facts.operation}: ${reason}` : what;
  const located = facts.property ? `${facts.property}: ${failed}` : failed;
  const text = [located, why, fix].filter(Boolean).join(" ");
  return where.length === 0 ? text : `${text} (${where.join(", ")})`;
}

/** A wrong argument, found without a request to the service. */
export class InputError extends PageGuardError {
  /** @internal `property` is the path of the argument: `zoneId`, `rules[2].expression`. */
  constructor(property: string, what: string, fix?: string) {
    super("PG_INPUT", { property }, { what, fix });
  }
}

/** A request is necessary, but the environment forbids all requests. */
export class OfflineError extends PageGuardError {
  /** `what`: a sentence without a full stop that says what is not done, such as `Nothing is created`. */
  constructor(what: string) {
    const why = "PAGE_GUARD_OFFLINE is set, so no request is sent and nothing is changed.";
    const fix =
      "Unset the variable and run the command again. (Previews work even while it is set, if the program reads with functions that return outputs, such as getScriptsOutput.)";
    super("PG_OFFLINE", {}, { what: `${what}: ${why}`, fix });
  }
}
