import { createColors } from "picocolors";
import type { Session } from "./session";

export function painter({ hasColour }: Session): ReturnType<typeof createColors> {
  return createColors(hasColour);
}
