import { spawnSync } from "node:child_process";
import { basename, dirname, resolve } from "node:path";
import type { AuditEntry } from "../documents/audit/report-data";
import type { Session } from "../shared/session";
import type { InventoryEntry } from "./inventory-file";

type EntryPlace = Pick<InventoryEntry, "line">;

/**
 * Returns the commit that last changed an entry. With `day`, returns the commit that last changed the entry's approval of that
 * date. Null if git does not know the commit.
 */
export type History = (entry: EntryPlace, day?: string) => AuditEntry["commit"];

/**
 * Reads a file's history from git. The returned function returns null outside of a repository. It also returns null for lines
 * from the oldest commits of a shallow clone, because git cannot say whether an earlier commit wrote these lines.
 */
export function readHistory({ cwd, env }: Session, file: string, entries: readonly EntryPlace[]): History {
  const path = resolve(cwd, file);
  const attempt = (...args: readonly string[]): string | undefined => {
    const options = { encoding: "utf8", maxBuffer: 64_000_000, timeout: 60_000 } as const;
    const { status, stdout } = spawnSync("git", ["-C", dirname(path), ...args], options);
    return status === 0 ? stdout : undefined;
  };
  // With -w, git ignores commits that changed every line only by converting the line ends.
  const blame = attempt("blame", "-w", "--line-porcelain", "--", basename(path));
  if (blame === undefined) return () => null;
  const names = [env["CI_DEFAULT_BRANCH"] ?? "HEAD", "main", "master"];
  const branch = names
    .flatMap((name) => [`refs/remotes/origin/${name}`, `refs/heads/${name}`])
    .find((name) => attempt("rev-parse", "--verify", "--quiet", name) !== undefined);
  // Lists the commits of all files, because `git blame` follows a renamed file, and `git rev-list` does not.
  const notOnBranch = branch && attempt("rev-list", `${branch}..HEAD`)?.split("\n");
  const isShallow = attempt("rev-parse", "--is-shallow-repository")?.trim() !== "false";
  // `git blame` ends its record of each line with a tab and the text of the line.
  const lines = [...blame.matchAll(/(.*?)\n\t([^\n]*)(?:\n|$)/gs)].map(([, text = "", written = ""]) => ({
    id: /^([0-9a-f]{40,64}) /.exec(text)?.[1] ?? "",
    on: 1000 * Number(/\ncommitter-time (\d+)\n/.exec(text)?.[1]),
    isBoundary: isShallow && text.includes("\nboundary\n"),
    text: written,
  }));
  return ({ line }, day = "") => {
    const next = Math.min(...entries.map((one) => one.line).filter((one) => one > line));
    const entry = lines.slice(line - 1, next - 1);
    // If the approval is an alias (`approved: *name`), the line does not contain the date.
    const own = entry.filter(
      ({ id, text }) => id !== "" && (text.includes(day) || /^[-\s]*approved\b/.test(text)),
    );
    const [last] = own.toSorted((left, right) => right.on - left.on);
    if (last === undefined || own.some(({ isBoundary }) => isBoundary)) return null;
    // `git blame` gives uncommitted lines an id of zeros.
    const isClean = !own.some(({ id }) => /^0+$/.test(id));
    return {
      id: isClean ? last.id : null,
      on: new Date(last.on).toISOString(),
      isOnDefault: notOnBranch ? isClean && !notOnBranch.includes(last.id) : null,
    };
  };
}
