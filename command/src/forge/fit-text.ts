/** Changes line breaks to `\n` and removes trailing white space, because forges change both. */
export const normaliseLines = (text: string) => text.replace(/\r\n?/g, "\n").trimEnd();

/** Puts text into a code block, so that a forge treats nothing in the text as a mention, a link or a command. */
export function asCode(text: string): string {
  const lines = cut(normaliseLines(text), 59_000);
  const fence = "`".repeat(Math.max(2, ...[...lines.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  return `${fence}text\n${lines}\n${fence}`;
}

/** Cuts long text at the end of a line. GitHub accepts 65,536 characters, but counts some characters differently. */
export function cut(text: string, most?: number): string {
  const shown = begin(text, most);
  if (shown === text) return text;
  const left = text.slice(shown.length).trim().split("\n").length;
  const rest = left === 1 ? "1 more line is" : `${left} more lines are`;
  return `${shown}\n\n(${rest} left out.)`;
}

/** Returns as many whole lines of a text as a forge accepts, or the beginning of the first line if that line is too long. */
export function begin(text: string, most = 60_500): string {
  return text.length <= most ? text : text.slice(0, Math.max(text.lastIndexOf("\n", most), 0) || most);
}

/** Whether a line begins a block of `asCode`. */
export const isFence = (line = "") => /^`{3,}text$/.test(line);
