import { compile } from "../../../csp/src";
import type { Judge } from "./judge";
import type { PageCase } from "./pairs";

/** A request about which the browser and `matches` disagree. */
export interface Difference {
  readonly policy: string;
  readonly pageUrl: string;
  readonly kind: "script" | "connection";
  readonly url: string;
  readonly isBlockedByBrowser: boolean;
}

export async function differences(judge: Judge, pageCase: PageCase): Promise<readonly Difference[]> {
  const { policy, pageUrl, requests } = pageCase;
  const verdicts = await judge.judge(pageCase);
  const compiled = compile(policy);
  return requests.flatMap((request, index) => {
    const isBlockedByBrowser = verdicts[index]?.isBlocked === true;
    // If browsers differ, Chromium allows the request.
    const isAllowedByUs =
      compiled.allows({ ...request, pageUrl }) || compiled.sourcesFor({ ...request, pageUrl }).length > 0;
    return isAllowedByUs === isBlockedByBrowser ? [{ policy, pageUrl, ...request, isBlockedByBrowser }] : [];
  });
}

/** Returns the smallest case that still differs: leaves out parts until nothing more can be left out. */
export async function shrink(judge: Judge, found: Difference): Promise<Difference> {
  let smallest = found;
  for (let progress = true; progress; ) {
    progress = false;
    for (const { policy, pageUrl, kind, url } of smaller(smallest)) {
      const [still] = await differences(judge, { policy, pageUrl, requests: [{ kind, url }] });
      if (still === undefined) continue;
      smallest = still;
      progress = true;
      break;
    }
  }
  return smallest;
}

function* smaller(found: Difference): Iterable<Omit<Difference, "isBlockedByBrowser">> {
  const directives = found.policy.split(/[;,]/).map((directive) => directive.trim().split(/\s+/));
  for (const [index, words] of directives.entries()) {
    yield { ...found, policy: join(directives.toSpliced(index, 1)) };
    for (const word of words.keys()) {
      if (word > 0) yield { ...found, policy: join(directives.with(index, words.toSpliced(word, 1))) };
    }
  }
  const { origin, pathname } = new URL(found.url);
  if (origin !== "null" && pathname !== "/") yield { ...found, url: `${origin}/` };
  const page = new URL(found.pageUrl);
  if (page.port !== "") yield { ...found, pageUrl: `${page.protocol}//${page.hostname}` };
}

function join(directives: readonly (readonly string[])[]): string {
  return directives.map((words) => words.join(" ")).join("; ");
}
