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
