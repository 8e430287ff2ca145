import { calm, code } from "../blocks/calm";
import { fitted } from "../blocks/fitted";
import { sectionsOf } from "../blocks/markdown";
import { documentOf } from "./chapters";
import type { Review } from "./review";

/** GitHub takes 65,536 characters in a comment. */
const longest = 60_000;

/**
 * The comment of a pull request, at most 60,000 characters; what is cut is counted. It names nobody, and nothing that
 * somebody else wrote is markup in it.
 */
export function markdown(review: Review): string {
  const { stack, version, isQuiet, headline, alerts, remark, chapters } = documentOf(review);
  const marker = `<!-- page-guard:review ${markerName(stack)} -->`;
  const title = `of stack ${code(stack ?? "(not known)")}`;
  if (isQuiet) return `${marker}\n**page-guard review** ${title}: nothing changes.\n`;
  const urgent = alerts.map((one) => `- **${calm(one, 400)}**\n`).join("");
  const head = `${marker}\n## Review ${title}\n\n**${calm(headline, 600)}**\n${urgent === "" ? "" : `\n${urgent}`}`;
  const soft = remark === "" ? "" : `${calm(remark, 400)} `;
  const foot = `\n<sub>${soft}pulumi-page-guard ${calm(version, 30)}. The codes in brackets are explained in its docs/findings.md.</sub>\n`;
  return fitted(head, chapters.flatMap(sectionsOf), foot, longest);
}

/** What a comment is found by: nothing that could end the HTML comment. */
export function markerName(stack: string | undefined): string {
  return (stack ?? "").replace(/[^\w./]+/g, "-").slice(0, 100) || "unknown";
}
