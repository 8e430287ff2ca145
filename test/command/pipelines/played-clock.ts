import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ci } from "../../engine/support/ci";

export const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

export const playedAt = (day: string, time: string): Date => new Date(`${day}T${time}:00Z`);

/** Simulates the time PLAYED_NOW for commands of jobs that have `--require=clock.cjs` in NODE_OPTIONS. */
export function playClock(ci: Ci): void {
  writeFileSync(
    join(ci.folder, "clock.cjs"),
    `const ahead = Date.parse(process.env.PLAYED_NOW) - Date.now();
const Real = Date;
globalThis.Date = class extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Real.now() + ahead] : given));
  }
  static now() {
    return Real.now() + ahead;
  }
};
`,
  );
  writeFileSync(
    join(ci.folder, "gh/date"),
    `#!/bin/sh
if [ "$2" = -d ]; then exec /bin/date -u -d "$PLAYED_NOW $3" "$4"; fi
exec /bin/date -u -d "$PLAYED_NOW" "$2"
`,
    { mode: 0o755 },
  );
}
