/** Result of a check. `stops`: an update would fail now. */
export interface Check {
  readonly name: string;
  readonly status: "fine" | "warning" | "stops" | "skipped";
  /** The result and what to do. */
  readonly message: string;
}

const as =
  (status: Check["status"]) =>
  (name: string, message: string): Check => ({ name, status, message });

export const fine = as("fine");
export const warning = as("warning");
export const stops = as("stops");
export const skipped = as("skipped");

/** Returns a check that stops an update for a problem; fine without one. */
export function judged(name: string, problem: string | undefined, found: string): Check {
  return problem === undefined ? fine(name, found) : stops(name, problem);
}

/** Returns a warning for each text that is true. */
export function warnings(name: string, texts: Readonly<Record<string, boolean>>): Check[] {
  return Object.entries(texts).flatMap(([text, holds]) => (holds ? [warning(name, text)] : []));
}
