import { forTerminal } from "../../reports/escape";

/** GitHub takes 65,536 characters and counts some of them differently. */
const longest = 64_000;

/** How the Markdown of `page-guard review` and `page-guard inventory check` begins. */
const reviewMarker = /^<!-- page-guard:(?:review|inventory) [\w./-]{1,200} -->/;

export function reviewMarkerOf(markdown: string): string | undefined {
  return reviewMarker.exec(markdown)?.[0];
}

export function issueMarkerOf(title: string): string {
  return `<!-- page-guard:issue ${encodeURIComponent(title)} -->`;
}

/** Forges change line ends. */
export function sameBody(one: string, other: string): boolean {
  const plain = (text: string): string => text.replace(/\r\n/g, "\n").trimEnd();
  return plain(one) === plain(other);
}

/** A block of code, so that nothing in it is a mention, a link or a command. */
export function asCode(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").trimEnd();
  const runs = [...lines.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(2, ...runs) + 1);
  return cut(lines, longest - 1000, (shown) => `${fence}text\n${shown}\n${fence}`);
}

/** Markdown within the limit of a forge, with open fences and details closed. */
export function asMarkdown(markdown: string): string {
  return cut(markdown, longest, (shown) => {
    const lines = shown.split("\n");
    const open = lines.reduce<string | undefined>((fence, line) => afterLine(line, fence), undefined);
    const details = (shown.match(/<details/g)?.length ?? 0) - (shown.match(/<\/details>/g)?.length ?? 0);
    return `${shown}${open === undefined ? "" : `\n${open}`}${"\n</details>".repeat(Math.max(0, details))}`;
  });
}

/** Cuts at the end of a line. */
function cut(text: string, most: number, close: (shown: string) => string): string {
  if (text.length <= most) return close(text);
  const whole = text.slice(0, most);
  const shown = whole.includes("\n") ? whole.slice(0, whole.lastIndexOf("\n")) : whole;
  const left = text.slice(shown.length).trim().split("\n").length;
  return `${close(shown.replace(/[\uD800-\uDBFF]$/, ""))}\n\n(${left} more ${left === 1 ? "line is" : "lines are"} left out.)`;
}

/** GitLab executes a line that begins with a slash (`/merge`), unless it is in a block of code. */
export function withoutQuickActions(markdown: string): string {
  let fence: string | undefined;
  return markdown
    .split("\n")
    .map((line) => {
      fence = afterLine(line, fence);
      return fence === undefined ? line.replace(/^(\s*)\/(?=\w)/, "$1&#47;") : line;
    })
    .join("\n");
}

/** The open fence after the line. */
function afterLine(line: string, open: string | undefined): string | undefined {
  const [, mark = "", rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (mark === "") return open;
  if (open === undefined) return mark.startsWith("`") && rest.includes("`") ? undefined : mark;
  return mark.startsWith(open) && rest.trim() === "" ? undefined : open;
}

export function shownUrl(url: string | undefined): string {
  return url === undefined || !/^https?:\/\//.test(url) ? "" : ` ${forTerminal(url, 300)}`;
}
