import { shortDigest } from "../documents/report";
import { asCode, begin, cut, isFence } from "./fit-text";

const isRule = (line: string | undefined) => line !== undefined && /^\|[ :|-]+$/.test(line);

const isHeading = (line: string) => /^#+ /.test(line);

/**
 * Returns the new list items, table rows and code lines of a text, in their order. A line is new if an earlier version of the
 * text does not have it below the same heading. A line is not new if only numbers outside of code and quotes (line numbers,
 * dates, counts) have changed.
 */
export function findNews(before: string, now: string): string {
  const known = new Set(readKeys(before.split("\n")));
  const marks = new Set(/<!-- left out: (.*) -->$/.exec(before)?.[1]?.split(" "));
  const [, ...lines] = now.split("\n").slice(0, begin(now).split("\n").length + mostMarks);
  const keys = readKeys(lines);
  const isNew = (index: number) => !known.has(keys[index] ?? "") && !marks.has(makeMark(keys[index]));
  if (isFence(lines[0])) {
    const added = lines.slice(0, -1).filter((line, index) => index > 0 && line.trim() !== "" && isNew(index));
    return added.length === 0 ? "" : asCode(added.join("\n"));
  }
  const shown: string[] = [];
  let heading: readonly string[] = [];
  let head: readonly string[] = [];
  for (const [index, line] of lines.entries()) {
    if (isHeading(line)) [heading, head] = [["", line, ""], []];
    else if (isRule(lines[index + 1])) head = [line, lines[index + 1] ?? ""];
    else if (/^(?:\||[-*] | {4})/.test(line) && !isRule(line) && isNew(index)) {
      shown.push(...heading, ...head, line);
      [heading, head] = [[], []];
    }
  }
  return shown.join("\n").trim();
}

/** Maximum number of marks, which are short hashes of lines left out. New lines even further down notify nobody. */
const mostMarks = 600;

/** Cuts the body of an issue for a forge. Adds marks for the lines left out, so that a later run knows which lines are new. */
export function cutWithMarks(text: string): string {
  const shown = begin(text);
  if (shown === text) return text;
  const from = shown.split("\n").length;
  const marks = readKeys(text.split("\n"))
    .slice(from, from + mostMarks)
    .map(makeMark);
  return `${cut(text)}\n\n<!-- left out: ${marks.join(" ")} -->`;
}

const makeMark = (key: string | undefined) => shortDigest([key]).slice(0, 5);

/**
 * Returns a key for each line: the heading above the line and the line itself, both without counts. The key contains the
 * heading, because the same line can appear for several zones. No key contains the title, which is the first heading, because
 * the title changes with the worst finding.
 */
function readKeys(lines: readonly string[]): string[] {
  const title = lines.findIndex(isHeading);
  const isFenced = lines.some((line) => isFence(line));
  let heading = "";
  return lines.map((line, index) => {
    if (isHeading(line) && index > title) heading = withoutNumbers(line, false);
    return `${heading}\n${withoutNumbers(line, isFenced || line.startsWith("    "))}`;
  });
}

/** Lines of `drift` that contain nothing but counts. */
const onlyCounts = /^ *(?:\d+ differences? in |[^:]+: not declared: )/;

/** Removes counts, dates and times. A number in code, in quotes or inside a name remains: `shop-2`, `rules[1]`, `"Landing 2"`. */
function withoutNumbers(line: string, isCode: boolean): string {
  const counts = /\*\*new\*\* |(?<![^\s(>])\d+(?:[-:]\d\d)*(?=[\s),;:<]|\.(?!\w)|$)/g;
  if (isCode && !onlyCounts.test(line)) return line;
  return line
    .split(/(`[^`]*`|"[^"]*")/)
    .map((part, index) => (index % 2 === 0 ? part.replace(counts, "") : part))
    .join("");
}
