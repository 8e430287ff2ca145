import type { Answered, Asked, Board, MergeRequest, WorkflowRun } from "./forge-server";

/** Runs of a branch and an event, as GitHub and GitLab list them: each forge has its own words for how one ended. */
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
      ...{ id, ...run, updated_at: ended.toISOString() },
      ...(nameOfBranch === "branch"
        ? { status: "completed", conclusion: hasFailed ? "failure" : "success", html_url: `https://ci/${id}` }
        : { status: hasFailed ? "failed" : "success", web_url: `https://ci/${id}` }),
    }));
}

/** How a forge calls the parts of a request to merge, and refuses a second one of a branch. */
interface Words {
  readonly head: string;
  readonly base: string;
  readonly text: string;
  readonly edits: "PATCH" | "PUT";
  readonly conflict: Answered;
  shown(request: MergeRequest): object;
}

/** Those that are open of a branch, a new one, or an edit. A branch has at most one that is open. */
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
    const isTaken = board.requests.some((one) => one.isOpen && one.branch === branch);
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
