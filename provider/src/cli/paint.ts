import { createColors } from "picocolors";
import type { Session } from "./session";

/** Colours for standard output; plain text where nobody sees them. */
export function painter({ hasColour }: Session): ReturnType<typeof createColors> {
  return createColors(hasColour);
}
