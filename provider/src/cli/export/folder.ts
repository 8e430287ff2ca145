import { existsSync, lstatSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { forTerminal } from "../../reports/escape";
import { CommandError } from "../command-error";
import { makeFolder } from "../make-folder";
import { reasonOf } from "../zones";
import { digest } from "./lock";

/** In bytes; the largest zone takes some hundred kB. */
const largestFile = 16_000_000;

/** What became of a file. */
export type Written = "new" | "anew" | "same" | "edited";

/**
 * The folder of an export. A file that somebody has edited is never written over: it is theirs. Whether it was is told
 * by the digest of what was written last.
 */
export class ExportFolder {
  /** Of what is there now, for the lock. */
  readonly digests: Record<string, string>;

  constructor(
    readonly path: string,
    before: Readonly<Record<string, string>>,
    /** Where the command runs: what leads from there to the folder is somebody's project, too. */
    readonly cwd = path,
  ) {
    this.digests = { ...before };
  }

  /**
   * A link in a project that somebody else has proposed leads wherever they like.
   *
   * @throws CommandError when one is on the way to a file that is going to be written.
   */
  refuseLinks(files: readonly string[]): void {
    for (const file of ["", ...files]) {
      const link = this.#linkOnTheWayTo(join(this.path, file));
      if (link === undefined) continue;
      throw new CommandError(
        `${forTerminal(link)} is a symbolic link, and an export does not write through one. Nothing was written. Remove it, or name the folder that is meant with --out.`,
      );
    }
  }

  #linkOnTheWayTo(path: string): string | undefined {
    const fromHere = relative(this.cwd, path);
    const isBelow = !fromHere.startsWith("..") && !isAbsolute(fromHere);
    const start = isBelow ? this.cwd : dirname(this.path);
    let at = start;
    for (const part of relative(start, path).split(sep)) {
      at = join(at, part);
      if (isLink(at)) return relative(this.cwd, at) || at;
    }
    return undefined;
  }

  has(file: string): boolean {
    return existsSync(join(this.path, file));
  }

  /** Not there, or as it was written. */
  isOurs(file: string): boolean {
    const text = this.read(file);
    return text === undefined ? !this.has(file) : digest(text) === this.digests[file];
  }

  /** There, and not as it was written. */
  isEdited(file: string): boolean {
    return this.has(file) && !this.isOurs(file);
  }

  /** Writes the file unless somebody has edited it. */
  write(file: string, text: string): Written {
    const before = this.read(file);
    const now = digest(text);
    if (before !== undefined && digest(before) === now) {
      this.digests[file] = now;
      return "same";
    }
    if (!this.isOurs(file)) return "edited";
    this.put(file, text);
    this.digests[file] = now;
    return before === undefined ? "new" : "anew";
  }

  /** For what a project has once, and who works in it shapes. */
  writeIfAbsent(file: string, text: string): boolean {
    if (this.has(file)) return false;
    this.put(file, text);
    return true;
  }

  /** Without a look at who wrote it before: for what is a report. */
  put(file: string, text: string): void {
    const path = join(this.path, file);
    if (this.read(file) === text) return;
    try {
      makeFolder(dirname(path));
      writeFileSync(path, text);
    } catch (error) {
      throw new CommandError(`${file} cannot be written: ${reasonOf(error)}`);
    }
  }

  /** Takes a file away that nobody has edited. */
  remove(file: string): void {
    if (!this.isOurs(file)) return;
    // Where the folder is none, also `force` is refused: what writes into it says so.
    if (this.has(file)) rmSync(join(this.path, file), { force: true });
    delete this.digests[file];
  }

  /** Undefined: not there, or nothing that an export could have written. */
  read(file: string): string | undefined {
    const path = join(this.path, file);
    try {
      const found = statSync(path);
      // A device, which has no end, is no file.
      return found.isFile() && found.size <= largestFile ? readFileSync(path, "utf8") : undefined;
    } catch {
      return undefined;
    }
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // Not there, or below what is no folder: what writes says so.
    return false;
  }
}
