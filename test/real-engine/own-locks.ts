import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * A CLI that was killed has left the stack locked: for the stories that were in that run, not for the others, whose stack
 * is another one as far as they know.
 */
export class OwnLocks {
  private readonly folder: string;
  /** Path to content of the locks that each story has to live with. */
  private readonly locks = new Map<string, ReadonlyMap<string, string>>();

  constructor(backend: string) {
    this.folder = join(backend, ".pulumi/locks");
  }

  isLocked(mark: string): boolean {
    return (this.locks.get(mark)?.size ?? 0) > 0;
  }

  drop(mark: string): void {
    this.locks.delete(mark);
  }

  /** Puts the locks of these stories into the backend. */
  bring(marks: readonly string[]): void {
    for (const [file, text] of marks.flatMap((mark) => [...(this.locks.get(mark) ?? [])])) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  /** Takes what is locked now out of the backend; it is theirs. */
  take(marks: readonly string[]): void {
    const found = new Map<string, string>();
    const entries = existsSync(this.folder)
      ? readdirSync(this.folder, { recursive: true, withFileTypes: true })
      : [];
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      found.set(file, readFileSync(file, "utf8"));
      rmSync(file);
    }
    for (const mark of marks) this.locks.set(mark, found);
  }
}
