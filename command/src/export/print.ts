import { findPartType, type SchemaType } from "./schema-type";

/** Syntax of values in a language with brackets. */
export interface Syntax {
  readonly tab: string;
  /** White space inside the braces of an object on one line. */
  readonly pad: string;
  /** Returns the code for a string, number, boolean or null. */
  scalar(value: unknown): string;
  brackets(isList: boolean, type: SchemaType | undefined): readonly [open: string, close: string];
  /** Returns the key of an entry, with the separator before its value. */
  key(name: string, type: SchemaType | undefined): string;
}

/**
 * Prints a value on one line if it is short and no entry has several lines. Otherwise, prints one entry per line, so that `git
 * blame` shows the last change of each entry.
 */
function printValue(syntax: Syntax, value: unknown, type?: SchemaType): string {
  if (typeof value !== "object" || value === null) return syntax.scalar(value);
  const isList = Array.isArray(value);
  const [open, close] = syntax.brackets(isList, type);
  const parts = printFields(syntax, value, type);
  const pad = isList || parts.length === 0 ? "" : syntax.pad;
  const flat = `${open}${pad}${parts.join(", ")}${pad}${close}`;
  const isFlat = flat.length <= (isList ? 100 : 60) && !flat.includes("\n");
  return isFlat || parts.length === 0 ? flat : block(syntax.tab, open, parts, close);
}

/** Prints the entries of a list, or the keys and values of an object. */
export function printFields(syntax: Syntax, value: object, type?: SchemaType): readonly string[] {
  return Object.entries(value).map(([name, part]) => {
    const key = Array.isArray(value) ? "" : syntax.key(name, type);
    return key + printValue(syntax, part, findPartType(type, name));
  });
}

export function block(tab: string, open: string, parts: readonly string[], close: string): string {
  return `${open}\n${indent(tab, entryLines(parts))}\n${close}`;
}

export function entryLines(parts: readonly string[]): string {
  return parts.map((part) => `${part},`).join("\n");
}

export function indent(tab: string, text: string): string {
  return text.replace(/^(?=.)/gm, tab);
}
