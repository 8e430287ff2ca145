import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { lightly } from "../../engine/real-engine/engine";
import type { Ci } from "../../engine/support/ci";

export const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

export const playedAt = (day: string, time: string): Date => new Date(`${day}T${time}:00Z`);

/** Returns a function that returns the environment in which a job's commands see the time `now`, which stands still. */
export function playClock(ci: Ci): (now: Date) => Record<string, string> {
  const clock = join(ci.folder, "clock.cjs");
  writeFileSync(
    clock,
    `const now = Date.parse(process.env.PLAYED_NOW);
globalThis.Date = class extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [now] : given));
  }
  static now() {
    return now;
  }
};
`,
  );
  writeFileSync(
    join(ci.folder, "gh/date"),
    `#!/bin/sh
exec /bin/date -u -d "$PLAYED_NOW" "$2"
`,
    { mode: 0o755 },
  );
  const NODE_OPTIONS = `${lightly.NODE_OPTIONS} --require=${clock}`;
  return (now) => ({ PLAYED_NOW: now.toISOString(), NODE_OPTIONS });
}
