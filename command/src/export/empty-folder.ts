import { existsSync, lstatSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { forTerminal } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import { makeFolder, whileWriting } from "../shared/output";
import type { Files } from "./languages";

/** Refuses symbolic links, and folders that contain anything but `.git`, so that nothing is overwritten. @throws CommandError */
export function refuseUsedFolder(cwd: string, path: string, flag: string): void {
  const fromHere = relative(cwd, path) || ".";
  const shown = forTerminal(fromHere);
  // Pull requests may add links below the working directory. So also check every folder between this directory and `path`.
  const below = fromHere.startsWith("..") ? [] : fromHere.split(sep);
  const onTheWay = below.map((_, index) => join(cwd, ...below.slice(0, index + 1)));
  whileWriting(fromHere, () => {
    if ([...onTheWay, path].some((one) => lstatSync(one, { throwIfNoEntry: false })?.isSymbolicLink()))
      throw new CommandError(
        `${flag} does not accept symbolic links, and the path ${shown} contains one. Name the target of the link.`,
      );
    const files = existsSync(path) ? readdirSync(path) : [];
    const first = files.find((name) => name !== ".git");
    if (first !== undefined)
      throw new CommandError(
        `${flag} takes a new or empty folder, and ${shown} is not empty: it has ${forTerminal(first)}. Name another folder, or move the files out of this one.`,
      );
  });
}

/** Writes files below a folder. @throws CommandError if a file cannot be written; the folder is then incomplete. */
export function writeFiles(folder: string, files: Files): void {
  for (const [file, text] of Object.entries(files)) {
    whileWriting(file, () => {
      const path = join(folder, file);
      makeFolder(dirname(path));
      writeFileSync(path, text);
    });
  }
}
