/** `stops`: an `up` would fail as things are. */
export interface Check {
  readonly name: string;
  readonly status: "fine" | "warning" | "stops" | "skipped";
  /** What was found, and what to do. */
  readonly message: string;
}

const as =
  (status: Check["status"]) =>
  (name: string, message: string): Check => ({ name, status, message });

export const fine = as("fine");
export const warning = as("warning");
export const stops = as("stops");
export const skipped = as("skipped");

/** Stops an `up` for that reason; fine without one. */
export function judged(name: string, problem: string | undefined, found: string): Check {
  return problem === undefined ? fine(name, found) : stops(name, problem);
}

/** A warning for each text that holds. */
export function warnings(name: string, texts: Readonly<Record<string, boolean>>): Check[] {
  return Object.entries(texts).flatMap(([text, holds]) => (holds ? [warning(name, text)] : []));
}
