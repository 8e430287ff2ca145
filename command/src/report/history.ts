import { spawnSync } from "node:child_process";
import { basename, dirname, resolve } from "node:path";
import type { AuditEntry } from "../reports/audit/report-data";
import type { Session } from "../session";

type Commit = AuditEntry["commit"];

/** The commit that last changed the lines of a file from one to before another. Null: git cannot tell. */
export type History = (from: number, before: number) => Commit;

/** What git says of a file: nothing where it is in no repository, or of a commit whose parents were not fetched. */
export function historyOf({ cwd, env }: Pick<Session, "cwd" | "env">, file: string): History {
  const path = resolve(cwd, file);
  const attempt = (...args: readonly string[]): string | undefined => {
    const options = { encoding: "utf8", maxBuffer: 64_000_000, timeout: 60_000 } as const;
    const { status, stdout } = spawnSync("git", ["-C", dirname(path), ...args], options);
    return status === 0 ? stdout : undefined;
  };
  const blame = attempt("blame", "--porcelain", "--", basename(path));
  if (blame === undefined) return () => null;
  const names = [env["CI_DEFAULT_BRANCH"] ?? "HEAD", "main", "master"];
  const branch = names
    .flatMap((name) => [`refs/remotes/origin/${name}`, ...(name === "HEAD" ? [] : [`refs/heads/${name}`])])
    .find((name) => attempt("rev-parse", "--verify", "--quiet", name) !== undefined);
  const onBranch = branch && attempt("rev-list", branch, "--", basename(path))?.split("\n");
  const isShallow = attempt("rev-parse", "--is-shallow-repository")?.trim() !== "false";
  const times = new Map<string, number>();
  const boundaries = new Set<string>();
  const lines: string[] = [];
  let id = "";
  for (const line of blame.split("\n")) {
    const [, commit, at] = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(line) ?? [];
    if (commit !== undefined) lines[Number(at)] = id = commit;
    const [, time] = /^committer-time (\d+)$/.exec(line) ?? [];
    if (time !== undefined) times.set(id, Number(time));
    if (line === "boundary" && isShallow) boundaries.add(id);
  }
  return (from, before) => {
    const ids = lines.slice(from, before).filter((one) => one !== undefined);
    const [last] = ids.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
    if (last === undefined || ids.some((one) => boundaries.has(one))) return null;
    // Git's id for what is not committed.
    const isClean = !ids.some((one) => /^0+$/.test(one));
    const on = new Date((times.get(last) ?? 0) * 1000).toISOString();
    return {
      id: isClean ? last : null,
      on,
      isOnDefault: onBranch ? isClean && onBranch.includes(last) : null,
    };
  };
}
