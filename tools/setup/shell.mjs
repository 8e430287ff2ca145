/** A text as one word of a POSIX shell, whatever is in it. */
export function shellQuoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
