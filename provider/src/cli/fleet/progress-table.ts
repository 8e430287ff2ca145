import { plural } from "../../text/plural";
import type { Session } from "../session";

const frameMs = 500;

/**
 * Progress of many stacks: a line for each that has ended and, on a terminal, below them a table of those that run.
 * Texts are safe to show already.
 */
export class ProgressTable {
  readonly #running = new Map<string, { began: number; note: string }>();
  #total = 0;
  #done = 0;
  #shown = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly session: Session) {}

  /** So many stacks come next. */
  expect(total: number): void {
    this.#total = total;
    this.#done = 0;
  }

  begin(name: string): void {
    this.#running.set(name, { began: this.session.now(), note: "" });
    if (!this.session.isWatched) return;
    this.#timer ??= setInterval(() => this.#draw(), frameMs).unref();
    this.#draw();
  }

  /** Of a stack that runs. */
  note(name: string, text: string): void {
    const row = this.#running.get(name);
    if (row) row.note = text;
    if (!row || !this.session.isWatched) this.say(`${name}: ${text}`);
    else this.#draw();
  }

  end(name: string, text: string): void {
    const seconds = this.#seconds(name);
    this.#running.delete(name);
    this.#done += 1;
    this.say(`[${this.#done}/${this.#total}] ${name}: ${text} (${seconds} s)`);
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** A line that stays. */
  say(line: string): void {
    this.#clear();
    this.session.err(`${line}\n`);
    if (this.session.isWatched) this.#draw();
  }

  #seconds(name: string): string {
    const { began = 0 } = this.#running.get(name) ?? {};
    return ((this.session.now() - began) / 1000).toFixed(1);
  }

  #draw(): void {
    this.#clear();
    if (this.#running.size === 0) return;
    const width = Math.max(...[...this.#running.keys()].map((name) => name.length));
    const rows = [
      `${this.#done} of ${plural(this.#total, "zone")} done, ${this.#running.size} running`,
      ...[...this.#running].map(
        ([name, { note }]) => `  ${name.padEnd(width)}  ${this.#seconds(name).padStart(6)} s  ${note}`,
      ),
    ];
    // Cut, because neither a wrapped line nor one that has scrolled away could be cleared.
    const most = Math.max(2, (process.stderr.rows || 24) - 2);
    const more = rows.length - most;
    if (more > 0) rows.splice(most, more, `  and ${more} more`);
    const columns = Math.max(20, (process.stderr.columns || 80) - 1);
    this.session.err(rows.map((row) => `${row.slice(0, columns)}\n`).join(""));
    this.#shown = rows.length;
  }

  #clear(): void {
    if (this.#shown > 0) this.session.err(`\u001b[${this.#shown}F\u001b[J`);
    this.#shown = 0;
  }
}
