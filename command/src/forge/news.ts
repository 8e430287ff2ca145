import { asCode, isFence } from "./code-block";

const isRule = (line: string | undefined) => line !== undefined && /^\|[ :|-]+$/.test(line);

/**
 * Returns the list items, table rows and code lines that an earlier text does not have, below their headings and in their
 * order. A line is not new if only numbers outside of code (lines, days, counts) have changed.
 */
export function newsOf(before: string, now: string): string {
  const known = new Set(before.split("\n").map(withoutNumbers));
  const [, ...lines] = now.split("\n");
  if (isFence(lines[0])) {
    const added = lines.slice(1, -1).filter((line) => line.trim() !== "" && !known.has(withoutNumbers(line)));
    return added.length === 0 ? "" : asCode(added.join("\n"));
  }
  const shown: string[] = [];
  let heading: readonly string[] = [];
  let head: readonly string[] = [];
  for (const [index, line] of lines.entries()) {
    if (/^#+ /.test(line)) [heading, head] = [["", line, ""], []];
    else if (isRule(lines[index + 1])) head = [line, lines[index + 1] ?? ""];
    else if (/^(?:\||[-*] | {4})/.test(line) && !isRule(line) && !known.has(withoutNumbers(line))) {
      shown.push(...heading, ...head, line);
      [heading, head] = [[], []];
    }
  }
  return shown.join("\n").trim();
}

function withoutNumbers(line: string): string {
  return line
    .split("`")
    .map((part, index) => (index % 2 === 0 ? part.replace(/\*\*new\*\* |\d+/g, "") : part))
    .join("`");
}
