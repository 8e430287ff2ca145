import { forMarkdown, forMarkdownCode } from "../escape";

/**
 * For the Markdown of GitHub and GitLab. Both look for people, issues and links once more in the text that comes out of
 * the Markdown, where an escape is gone: a character without width after the sign is not.
 */
export function calm(text: string, most = 300): string {
  return forMarkdown(text, most)
    .replaceAll("&#64;", "&#64;&#8203;")
    .replaceAll("&#58;", "&#58;&#8203;")
    .replaceAll("&#46;", "&#46;&#8203;")
    .replace(/(\\[#~^$]|[!%]|&amp;)(?=\w)/g, "$1&#8203;")
    .replace(/\b(GH|gl)-(?=\d)/gi, "$1-&#8203;");
}

/** As code: neither looks for anything there. */
export function code(text: string, most = 200): string {
  return forMarkdownCode(text, most);
}

/** Lines of a message; indented ones as a list below. */
export function calmLines(text: string, mostLines: number): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const shown = lines.slice(0, mostLines).map((line) => {
    const depth = /^ */.exec(line)?.[0].length ?? 0;
    return `${"&nbsp;".repeat(Math.min(depth, 8))}${calm(line.trim(), 600)}`;
  });
  if (lines.length > mostLines) shown.push(`… ${lines.length - mostLines} more lines`);
  return shown.join("<br>");
}
