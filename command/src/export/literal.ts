import { codeComment } from "../reports/escape";
import type { Files, Language } from "./language";
import { slugOf } from "./naming";
import type { ProgramResource, ZoneProgram } from "./program";
import { argumentType, partType, type SchemaType } from "./schema-type";

/** How a language with brackets writes values, resources and files. */
export interface Syntax {
  readonly tab: string;
  readonly width: number;
  readonly comment: string;
  /** Inside the braces of an object on one line. */
  readonly pad: string;
  /** Text, number, truth value or null. */
  scalar(value: unknown): string;
  brackets(isList: boolean, type: SchemaType | undefined): readonly [open: string, close: string];
  /** Of an entry, with what separates it from its value. */
  key(name: string, type: SchemaType | undefined): string;
  /** The same for an argument of a resource. */
  argument(name: string): string;
  /** Aligns the values of entries on consecutive lines. */
  align?(lines: readonly Line[]): readonly Line[];
  resource(resource: ProgramResource): string;
  /** Lines of a zone's file, without date and version, so that the same zone gives the same file. */
  file(
    program: ZoneProgram,
    name: readonly string[],
    remarks: readonly string[],
    resources: readonly string[],
  ): readonly string[];
  /** Lines of a file that declares nothing. */
  empty(comments: readonly string[]): readonly string[];
  /** The file of a zone. */
  fileOf(slug: string): string;
  /** What loads the files of these zones. */
  index(slugs: readonly string[]): Files;
}

export interface Line {
  readonly key: string;
  readonly value: string;
  readonly remarks?: readonly string[] | undefined;
  /** After an empty line. */
  readonly isApart?: boolean;
}

/** A value, at that depth, whose first line has that much room. */
export function literal(
  syntax: Syntax,
  value: unknown,
  type?: SchemaType,
  depth = 0,
  room = syntax.width - depth * syntax.tab.length,
): string {
  if (typeof value !== "object" || value === null) return syntax.scalar(value);
  const isList = Array.isArray(value);
  const [open, close] = syntax.brackets(isList, type);
  const parts = Object.entries(value).map(([name, part]) => ({
    key: isList ? "" : syntax.key(name, type),
    part,
    type: partType(type, name),
  }));
  if (parts.length === 0) return `${open}${close}`;
  const isFlat = room === Number.POSITIVE_INFINITY;
  if (isList || isFlat) {
    const flat = parts.map(
      (entry) => entry.key + literal(syntax, entry.part, entry.type, depth, Number.POSITIVE_INFINITY),
    );
    const pad = isList ? "" : syntax.pad;
    const line = `${open}${pad}${flat.join(", ")}${pad}${close}`;
    if (line.length <= room) return line;
  }
  const lines = parts.map(({ key, part, type: partOf }) => lineOf(syntax, key, part, partOf, depth + 1));
  return block(syntax, open, lines, close, depth);
}

function lineOf(
  syntax: Syntax,
  key: string,
  value: unknown,
  type: SchemaType | undefined,
  depth: number,
): Line {
  const room = syntax.width - depth * syntax.tab.length - key.length - 1;
  return { key, value: literal(syntax, value, type, depth, room) };
}

/** One entry a line, for reviews and `git blame`. */
export function block(
  syntax: Syntax,
  open: string,
  lines: readonly Line[],
  close: string,
  depth: number,
): string {
  const body = entries(syntax, syntax.align?.(lines) ?? lines, depth + 1);
  return [open, ...body, `${syntax.tab.repeat(depth)}${close}`].join("\n");
}

function entries(syntax: Syntax, lines: readonly Line[], depth: number): readonly string[] {
  return lines.flatMap(({ key, value, remarks = [], isApart = false }) => [
    ...(isApart ? [""] : []),
    ...commentLines(syntax, remarks, depth),
    `${syntax.tab.repeat(depth)}${key}${value},`,
  ]);
}

/** The arguments of a resource besides the zone id. */
export function argumentLines(syntax: Syntax, resource: ProgramResource, depth: number): readonly Line[] {
  return Object.entries(resource.args).map(([name, value]) => {
    const key = syntax.argument(name);
    const type = argumentType(resource.kind, name);
    if (name !== "policies") return lineOf(syntax, key, value, type, depth);
    const [open, close] = syntax.brackets(false, type);
    return { key, value: block(syntax, open, policyLines(syntax, resource, depth + 1), close, depth) };
  });
}

/** What languages with brackets have in common: a file for each zone, and one that loads them. */
export function withBrackets(
  syntax: Syntax,
): Pick<Language, "file" | "files" | "text" | "comment" | "policies" | "rules"> {
  const resourceText = (resource: ProgramResource): string =>
    [...commentLines(syntax, resource.remarks), syntax.resource(resource)].join("\n");
  const zoneLines = (program: ZoneProgram): readonly string[] => {
    const { zone, remarks, resources } = program;
    const name = commentLines(syntax, zone.name === zone.id ? [] : [zone.name]);
    const notes = commentLines(syntax, remarks);
    if (resources.length > 0) return syntax.file(program, name, notes, resources.map(resourceText));
    const nothing = commentLines(syntax, [`Nothing of zone ${zone.id} is declared.`]);
    return [...syntax.empty([...name, ...notes, ...nothing]), ""];
  };
  const text = (program: ZoneProgram): string => zoneLines(program).join("\n");
  return {
    comment: syntax.comment,
    text,
    file: syntax.fileOf,
    files: (programs) => ({
      ...Object.fromEntries(programs.map((one) => [syntax.fileOf(slugOf(one.zone)), text(one)])),
      ...syntax.index(programs.map(({ zone }) => slugOf(zone)).sort()),
    }),
    policies: (set) => entries(syntax, policyLines(syntax, set, 0), 0).join("\n"),
    rules: (rules) => {
      const type = partType(argumentType("ManagedWafEntrypoint", "rules"), "");
      return rules.map((rule) => `${literal(syntax, rule, type)},`).join("\n");
    },
  };
}

function policyLines(
  syntax: Syntax,
  { kind, args, policyRemarks }: ProgramResource,
  depth: number,
): readonly Line[] {
  const type = argumentType(kind, "policies");
  return Object.entries(Object(args["policies"])).map(([name, policy]) => ({
    ...lineOf(syntax, syntax.key(name, type), policy, partType(type, name), depth),
    remarks: policyRemarks?.get(name),
  }));
}

export function commentLines(
  { comment, tab }: Pick<Syntax, "comment" | "tab">,
  remarks: readonly string[],
  depth = 0,
): readonly string[] {
  return remarks.map((remark) => `${tab.repeat(depth)}${comment} ${codeComment(remark, 500)}`.trimEnd());
}
