import { existsSync, lstatSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { forTerminal } from "../../reports/escape";
import { CommandError } from "../command-error";
import { makeFolder } from "../make-folder";
import { reasonOf } from "../zones";
import { digest } from "./lock";

/** In bytes; the largest zone takes some hundred kB. */
const largestFile = 16_000_000;

/** The folder of an export. A file whose digest differs from what was last written was edited, and is never overwritten. */
export class ExportFolder {
  /** Of the files that an export wrote, for the lock. */
  readonly digests: Record<string, string>;

  constructor(
    readonly path: string,
    before: Readonly<Record<string, string>>,
    /** Where the command runs: the folders between are of the project, too. */
    readonly cwd = path,
  ) {
    this.digests = { ...before };
  }

  /** A proposed project may have links to anywhere. @throws CommandError for one on the way to a file to write. */
  refuseLinks(files: readonly string[]): void {
    for (const file of ["", ...files]) {
      const link = this.#linkOnTheWayTo(join(this.path, file));
      if (link === undefined) continue;
      throw new CommandError(
        `Failed to export: ${forTerminal(link)} is a symbolic link, and an export does not write through one. Nothing was written. Remove the link, or name its target with --out.`,
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

  /** Missing, or as it was written. */
  isOurs(file: string): boolean {
    const text = this.read(file);
    return text === undefined ? !this.has(file) : digest(text) === this.digests[file];
  }

  /** Present, and not as it was written. */
  isEdited(file: string): boolean {
    return this.has(file) && !this.isOurs(file);
  }

  /** Writes the file. False if it was edited. */
  write(file: string, text: string): boolean {
    const before = this.read(file);
    const now = digest(text);
    if (before !== undefined && digest(before) === now) {
      this.digests[file] = now;
      return true;
    }
    if (!this.isOurs(file)) return false;
    this.put(file, text);
    this.digests[file] = now;
    return true;
  }

  /** For project files. */
  writeIfAbsent(file: string, text: string): boolean {
    if (this.has(file)) return false;
    this.put(file, text);
    return true;
  }

  /** Also over an edited file: for reports. */
  put(file: string, text: string): void {
    const path = join(this.path, file);
    if (this.read(file) === text) return;
    try {
      makeFolder(dirname(path));
      writeFileSync(path, text);
    } catch (error) {
      throw new CommandError(`Failed to write ${file}: ${reasonOf(error)}`);
    }
  }

  /** Deletes a file unless it was edited. */
  remove(file: string): void {
    if (!this.isOurs(file)) return;
    // If the folder is a file, even `force` fails; writing says so.
    if (this.has(file)) rmSync(join(this.path, file), { force: true });
    delete this.digests[file];
  }

  /** Undefined if it is missing, or nothing that an export could have written. */
  read(file: string): string | undefined {
    const path = join(this.path, file);
    try {
      const found = statSync(path);
      // A device has no end.
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
    // Missing, or below a file; writing says so.
    return false;
  }
}
