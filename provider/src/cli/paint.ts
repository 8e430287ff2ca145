import { createColors } from "picocolors";
import type { Session } from "./session";

export type Paint = ReturnType<typeof createColors>;

/** Colours for standard output; plain text where nobody sees them. */
export function painter({ hasColour }: Session): Paint {
  return createColors(hasColour);
}
