import { forMarkdown, forMarkdownCode } from "../escape";

/**
 * For the Markdown of GitHub and GitLab. Both search the rendered text for people, issues and links again, where an
 * escape is lost: a zero-width character after the sign is not.
 */
export function calm(text: string, most = 300): string {
  return forMarkdown(text, most)
    .replaceAll("&#64;", "&#64;&#8203;")
    .replaceAll("&#58;", "&#58;&#8203;")
    .replaceAll("&#46;", "&#46;&#8203;")
    .replace(/(\\[#~^$]|[!%]|&amp;)(?=\w)/g, "$1&#8203;")
    .replace(/\b(GH|gl)-(?=\d)/gi, "$1-&#8203;");
}

/** As code, which neither searches. */
export function code(text: string, most = 200): string {
  return forMarkdownCode(text, most);
}
