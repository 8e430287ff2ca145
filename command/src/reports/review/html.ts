import { page, section } from "../blocks/html";
import { forHtml } from "../escape";
import { chaptersOf } from "./chapters";
import type { Review } from "./review";

/** One file with everything in it: it loads nothing, runs nothing, and leaves nothing out. */
export function html(review: Review): string {
  const { stack, project, version, result, headline, alerts, resources, zones } = review;
  const title = `Review of stack ${stack ?? "(not known)"}`;
  const urgent = alerts.map((one) => `<li>${forHtml(one, 1000)}</li>`).join("");
  return page({
    title,
    main: `<h1${result === "succeeded" ? "" : ' class="failed"'}>${forHtml(title)}</h1>
${project === undefined ? "" : `<p class="soft">Project ${forHtml(project)}</p>\n`}<p class="lead">${forHtml(headline, 1000)}</p>
${urgent === "" ? "" : `<ul class="alerts">${urgent}</ul>\n`}${chaptersOf(review)
  .map((chapter, index) => section(chapter, { index, isOpen: zones.length <= 1 }))
  .join("\n")}
<footer>${resources === "" ? "" : `${forHtml(resources, 400)} `}pulumi-page-guard ${forHtml(version)}. The codes are explained in its docs/findings.md.</footer>
`,
  });
}
