/** The result of a check. `stops` means that an update would fail now, or could be applied without approval. */
export interface Check {
  readonly name: string;
  readonly status: "fine" | "warning" | "stops" | "skipped";
  readonly message: string;
}

const as =
  (status: Check["status"]) =>
  (name: string, message: string): Check => ({ name, status, message });

export const fine = as("fine");
export const warning = as("warning");
export const stops = as("stops");
export const skipped = as("skipped");

export function judge(name: string, problem: string | undefined, found: string): Check {
  return problem === undefined ? fine(name, found) : stops(name, problem);
}

/** Returns a warning for each message in `texts` whose value is true. */
export function warnings(name: string, texts: Readonly<Record<string, boolean>>): Check[] {
  return Object.entries(texts).flatMap(([text, isTrue]) => (isTrue ? [warning(name, text)] : []));
}
