import type { Session } from "../session";

/** Whoever shows what a run of `pulumi` says. */
export interface Shown {
  out(part: string): void;
  err(part: string): void;
}

/** The engine goes on with the values of both sides, secrets among them. */
const mark = " violates plan: ";

/**
 * Shows it line by line, until the engine says how its plan is violated: from there on nothing, for nobody can tell where a
 * secret of several lines ends. What has to be known of it is in the events.
 */
export function untilPlanIsViolated(session: Pick<Session, "out" | "err">): Shown & { end(): void } {
  const out = lineByLine((line) => session.out(line));
  const err = lineByLine((line) => session.err(line));
  return {
    out: out.take,
    err: err.take,
    end() {
      out.end();
      err.end();
    },
  };
}

function lineByLine(show: (line: string) => void) {
  let rest = "";
  let isOver = false;
  const pass = (text: string): void => {
    isOver ||= text.includes(mark);
    if (!isOver && text !== "") show(text);
  };
  return {
    take(part: string): void {
      const lines = `${rest}${part}`.split(/(?<=\n)/);
      rest = lines.at(-1)?.endsWith("\n") ? "" : (lines.pop() ?? "");
      for (const line of lines) pass(line);
    },
    end(): void {
      pass(rest);
    },
  };
}
