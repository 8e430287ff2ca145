import type { Properties } from "pulumi-page-guard/tools";
import type { ProgramResource, ZoneProgram } from "./program";

/** Texts by their paths below the project. */
export type Files = Readonly<Record<string, string>>;

/** What the programs of one language have of their own. */
export interface Language {
  /** The file of a zone. Zones may share a file. */
  file(slug: string): string;
  /** One program. */
  text(program: ZoneProgram): string;
  /** All programs, and what loads them. */
  files(programs: readonly ZoneProgram[]): Files;
  /** Further files of the project. */
  project(name: string): Files;
  /** What to run before the first preview, and why. */
  readonly commands: Files;
  /** Why a program cannot express these arguments. */
  refusal?(args: Properties): string | undefined;
  readonly comment: string;
  /** Entries of a set for a person to copy. */
  policies(set: ProgramResource): string;
  /** Rules of an entry point for a person to copy. */
  rules(rules: readonly unknown[]): string;
}
