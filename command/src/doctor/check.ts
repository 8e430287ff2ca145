import { readFileSync } from "node:fs";
import { jsonOf } from "pulumi-page-guard/tools";

/** `stops`: an `up` would fail as things are. */
export interface Check {
  readonly name: string;
  readonly status: "fine" | "warning" | "stops" | "skipped";
  /** What was found, and what to do. */
  readonly message: string;
}

export const fine = (name: string, message: string): Check => ({ name, status: "fine", message });
export const warning = (name: string, message: string): Check => ({ name, status: "warning", message });
export const stops = (name: string, message: string): Check => ({ name, status: "stops", message });
export const skipped = (name: string, message: string): Check => ({ name, status: "skipped", message });

/** Undefined for a file that is missing, unreadable, or not JSON. */
export function jsonFile(path: string): unknown {
  try {
    return jsonOf(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
