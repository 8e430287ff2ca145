import type { Answered, Asked, Board, MergeRequest, WorkflowRun } from "./forge-server";

/** Returns the runs of a branch and an event in the format of GitHub or GitLab. */
export function recentRuns(
  runs: readonly WorkflowRun[] = [],
  query: URLSearchParams,
  nameOfBranch: "branch" | "ref",
): readonly object[] {
  const event = query.get("event") ?? query.get("source");
  const branch = query.get(nameOfBranch);
  return runs
    .filter((run) => (branch === null || run.branch === branch) && run.event === event)
    .map(({ ended, hasFailed, ...run }, id) => ({
      id,
      ...run,
      updated_at: ended.toISOString(),
      ...(nameOfBranch === "branch"
        ? { status: "completed", conclusion: hasFailed ? "failure" : "success", html_url: `https://ci/${id}` }
        : { status: hasFailed ? "failed" : "success", web_url: `https://ci/${id}` }),
    }));
}

/** Field names of a forge for pull or merge requests, and its refusal of a second one for a branch. */
interface Words {
  readonly head: string;
  readonly base: string;
  readonly text: string;
  readonly edits: "PATCH" | "PUT";
  readonly conflict: Answered;
  shown(request: MergeRequest): object;
}

/** Lists a branch's open requests, creates one or edits one. A branch has at most one open request. */
export function answerRequests(
  board: Board,
  { method, body, query, token }: Asked,
  number: string | undefined,
  { head, base, text, edits, conflict, shown }: Words,
): Answered {
  if (method === "GET") {
    const wanted = query.get(head)?.replace(/^shop:/, "");
    const found = board.requests.filter(({ branch, isOpen }) => isOpen && wanted === branch);
    return { status: 200, json: found.map(shown) };
  }
  if (method === "POST") {
    const branch = String(body[head]);
    const isTaken = board.requests.some((one) => one.isOpen && !one.isFork && one.branch === branch);
    if (body[base] !== "main" || isTaken) return conflict;
    const [title, said] = [String(body["title"]), String(body[text])];
    const made = { id: board.nextId++, by: token.as, title, body: said, isOpen: true, branch };
    board.requests.push(made);
    return { status: 201, json: shown(made) };
  }
  const found = board.requests.find(({ id }) => id === Number(number));
  if (found === undefined || method !== edits) return { status: 404, json: { message: "404 Not Found" } };
  found.body = String(body[text]);
  return { status: 200, json: shown(found) };
}
