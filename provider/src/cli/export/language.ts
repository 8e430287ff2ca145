import type { Properties } from "../../lifecycle/kind";
import type { ExportFolder } from "./folder";
import type { ProgramResource, ZoneProgram } from "./program";
import type { ProgramRead } from "./read-program";

/** Text of a file; undefined if it is missing. */
export type ReadFile = (file: string) => string | undefined;

export type Files = Readonly<Record<string, string>>;

/** What the programs of one language have of their own. */
export interface Language {
  /** For code in Markdown. */
  readonly fence: string;
  /** The file of a zone, and the one for new objects beside an edited one. Zones may share a file. */
  files(slug: string): readonly [main: string, ...beside: string[]];
  text(programs: readonly ZoneProgram[]): string;
  /** What loads these files of the zones. */
  index(files: readonly string[]): Files;
  /** Further files of the project, for a folder without them. */
  project(name: string, read: ReadFile): Files;
  /** What an existing project lacks. */
  notes(read: ReadFile, files: readonly string[]): readonly string[];
  /** What to run before the first preview, and why. */
  commands(read: ReadFile): Files;
  /** What edited files declare. Nothing is run: the program may be someone's proposal. */
  read(folder: ExportFolder, slugs: readonly string[]): ProgramRead;
  /** Why a program cannot express these arguments. */
  refusal?(args: Properties): string | undefined;
  /** Code for a person to copy. */
  resource(resource: ProgramResource): string;
  /** Entries of a set for a person to copy. */
  policies(set: ProgramResource): string;
}
