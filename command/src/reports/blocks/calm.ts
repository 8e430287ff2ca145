import { forMarkdown } from "../escape";

/**
 * For the Markdown of GitHub and GitLab. Both search the rendered text for people, issues and links again, where an
 * escape is lost: a zero-width character after the sign is not. They search no code.
 */
export function calm(text: string, most = 300): string {
  return forMarkdown(text, most)
    .replaceAll("&#64;", "&#64;&#8203;")
    .replaceAll("&#58;", "&#58;&#8203;")
    .replaceAll("&#46;", "&#46;&#8203;")
    .replace(/(\\[#~^$]|[!%]|&amp;)(?=\w)/g, "$1&#8203;")
    .replace(/\b(GH|gl)-(?=\d)/gi, "$1-&#8203;");
}
