import { calm } from "../blocks/calm";
import { fitted } from "../blocks/fitted";
import { sectionsOf } from "../blocks/markdown";
import { forMarkdownCode } from "../escape";
import { chaptersOf, isQuiet } from "./chapters";
import type { Review } from "./review";

/** GitHub takes 65,536 characters in a comment. */
const longest = 60_000;

/**
 * The comment of a pull request, at most 60,000 characters; what is cut is counted. It mentions no one, and no text
 * from outside is markup in it.
 */
export function markdown(review: Review): string {
  const { stack, version, headline, alerts, resources } = review;
  const chapters = chaptersOf(review);
  // A comment is found by it: nothing in it could end the HTML comment.
  const name = (stack ?? "").replace(/[^\w./]+/g, "-").slice(0, 100) || "unknown";
  const marker = `<!-- page-guard:review ${name} -->`;
  const title = `of stack ${forMarkdownCode(stack ?? "(not known)")}`;
  if (isQuiet(review, chapters)) return `${marker}\n**page-guard review** ${title}: nothing changes.\n`;
  const urgent = alerts.map((one) => `- **${calm(one, 400)}**\n`).join("");
  const head = `${marker}\n## Review ${title}\n\n**${calm(headline, 600)}**\n${urgent === "" ? "" : `\n${urgent}`}`;
  const soft = resources === "" ? "" : `${calm(resources, 400)} `;
  const foot = `\n<sub>${soft}pulumi-page-guard ${calm(version, 30)}. The codes in brackets are explained in its docs/findings.md.</sub>\n`;
  return fitted(head, chapters.flatMap(sectionsOf), foot, longest);
}
