import { forTerminal } from "../escape";
import {
  hasNotes,
  headline,
  type Review,
  type ReviewChange,
  type ReviewNote,
  type ReviewPart,
} from "./review";

/** For a terminal or the log of a CI: the same order, without what is folded elsewhere. */
export function text(review: Review): string {
  const { stack, undone, parts, isUnchanged } = review;
  const shown = parts.filter(({ isFolded }) => !isFolded);
  const folded = parts.filter(({ isFolded }) => isFolded);
  if (isUnchanged && parts.length === 0)
    return `Stack ${forTerminal(stack ?? "(not known)")}: nothing changes.\n`;
  const lines = [
    `Stack ${forTerminal(stack ?? "(not known)")}: ${headline(review)}`,
    ...(undone.length > 0 ? ["", "THIS CANNOT BE UNDONE", ...undone.flatMap(noteLines)] : []),
    ...shown.flatMap(partLines),
    ...folded.map((part) => `\n${part.title}: ${sizeOf(part)} (in the reports)`),
  ];
  return `${lines.join("\n")}\n`;
}

function sizeOf(part: ReviewPart): number {
  return hasNotes(part) ? part.notes.length : part.changes.reduce((sum, { names }) => sum + names.length, 0);
}

function partLines(part: ReviewPart): string[] {
  return [
    "",
    part.title,
    ...(hasNotes(part) ? part.notes.flatMap(noteLines) : part.changes.flatMap(changeLines)),
  ];
}

function noteLines({ subjects, text: message, code }: ReviewNote): string[] {
  const of = subjects.length === 0 ? "" : `${subjects.map((one) => forTerminal(one)).join(", ")}: `;
  const lines = message
    .split("\n")
    .map((line) => `${/^\s/.test(line) ? "  " : ""}${forTerminal(line.trim(), 1000)}`);
  const end = code === undefined ? "" : ` [${forTerminal(code)}]`;
  return `${of}${lines.join("\n")}${end}`.split("\n").map((line) => `  ${line}`);
}

function changeLines({ kind, names, differences }: ReviewChange): string[] {
  const head = `  ${forTerminal(kind)} ${names.map((name) => forTerminal(name)).join(", ")}`;
  const sides = differences.map(({ path, before, after }) => {
    const side = (value: string | undefined): string =>
      value === undefined ? "(nothing)" : forTerminal(value, 300);
    return `    ${forTerminal(path)}: ${side(before)} -> ${side(after)}`;
  });
  return [head, ...sides];
}
