/** Forges change line ends. */
export const plain = (text: string) => text.replace(/\r\n?/g, "\n").trimEnd();

/** A block of code, so that nothing in it is a mention, a link or a command. */
export function asCode(text: string): string {
  const lines = cut(plain(text), 63_000);
  const fence = "`".repeat(Math.max(2, ...[...lines.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  return `${fence}text\n${lines}\n${fence}`;
}

/** Cuts at the end of a line what GitHub would refuse: it takes 65,536 characters and counts some differently. */
export function cut(text: string, most = 64_000): string {
  if (text.length <= most) return text;
  const shown = text.slice(0, Math.max(text.lastIndexOf("\n", most), 0) || most);
  return `${shown}\n\n(${text.slice(shown.length).trim().split("\n").length} more lines are left out.)`;
}

/** Whether a line begins a block of `asCode`. */
export const isFence = (line = "") => /^`{3,}text$/.test(line);
