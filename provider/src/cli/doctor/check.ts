/** What was found of one thing. `stops`: an `up` would not go through as things are. */
export interface Check {
  readonly name: string;
  readonly status: "fine" | "warning" | "stops" | "skipped";
  /** What is, and what to do. */
  readonly message: string;
}

export const fine = (name: string, message: string): Check => ({ name, status: "fine", message });
export const warning = (name: string, message: string): Check => ({ name, status: "warning", message });
export const stops = (name: string, message: string): Check => ({ name, status: "stops", message });
export const skipped = (name: string, message: string): Check => ({ name, status: "skipped", message });
