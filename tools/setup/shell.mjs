/** Quotes a string as one word of a POSIX shell. */
export function shellQuoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
