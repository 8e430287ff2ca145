import { createColors } from "picocolors";
import type { Session } from "./session";

export type Paint = ReturnType<typeof createColors>;

export function painter({ hasColour }: Session): Paint {
  return createColors(hasColour);
}
