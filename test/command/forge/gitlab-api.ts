import type { Answered, Asked, Board, Issue, MergeRequest, Post } from "./forge-server";
import { answerRequests, recentRuns } from "./recent-runs";

const at = "/projects/42";

/** Answers like GitLab: `link` for further pages, PUT for edits. Executes lines of a body that begin with a slash. */
export function answerGitlab(board: Board, asked: Asked, origin: string): Answered {
  const { method, path, body, token } = asked;
  if (path === "/user") return { status: 200, json: { id: token.as.id, username: token.as.login } };
  if (!path.startsWith(at)) return { status: 404, json: { message: "404 Project Not Found" } };
  if (method !== "GET" && token.kind === "read") {
    return { status: 403, json: { error: "insufficient_scope" } };
  }
  carryOut(board, String(body["body"] ?? body["description"] ?? ""));
  const rest = path.slice(at.length);
  const environment = /^\/protected_environments\/([^/]+)$/.exec(rest)?.[1];
  if (environment !== undefined) {
    const name = decodeURIComponent(environment);
    const found = board.environments[name];
    if (found === undefined) return { status: 404, json: { message: "404 Not found" } };
    return { status: 200, json: { name, ...found } };
  }
  if (rest === "/pipelines")
    return page(asked, recentRuns(board.runs[asked.query.get("name") ?? ""], asked.query, "ref"));
  if (rest === "") return { status: 200, json: { id: 42, default_branch: "main" } };
  const requests = /^\/merge_requests(?:\/(\d+))?$/.exec(rest);
  const taken = { status: 409, json: { message: ["Another open merge request already exists"] } };
  const shown = ({ id, title, body: description, branch }: MergeRequest) => ({
    iid: id,
    title,
    description,
    source_branch: branch,
    source_project_id: 42,
    web_url: `${origin}/shop/infra/-/merge_requests/${id}`,
  });
  const names = { head: "source_branch", base: "target_branch", text: "description", edits: "PUT" } as const;
  if (requests) return answerRequests(board, asked, requests[1], { ...names, conflict: taken, shown });
  const notes = "/merge_requests/7/notes";
  if (rest === notes) {
    if (method === "GET") return page(asked, board.comments.map(note));
    const post: Post = { id: board.nextId++, by: token.as, body: String(body["body"]) };
    board.comments.push(post);
    return { status: 201, json: note(post) };
  }
  if (rest.startsWith(`${notes}/`) && method === "PUT") {
    const post = board.comments.find(({ id }) => id === Number(rest.slice(notes.length + 1)));
    if (post === undefined) return { status: 404, json: { message: "404 Not found" } };
    post.body = String(body["body"]);
    return { status: 200, json: note(post) };
  }
  if (rest === "/issues") {
    const issueOf = (one: Issue) => issue(one, origin);
    if (method === "GET") {
      const open = asked.query.get("state") === "opened";
      return page(asked, board.issues.filter(({ isOpen }) => isOpen || !open).map(issueOf));
    }
    const made: Issue = {
      id: board.nextId++,
      by: token.as,
      isOpen: true,
      talk: [],
      title: String(body["title"]),
      body: String(body["description"]),
    };
    board.issues.push(made);
    return { status: 201, json: issueOf(made) };
  }
  const discussed = board.issues.find(({ id }) => rest === `/issues/${id}/notes`);
  if (discussed !== undefined && method === "POST") {
    discussed.talk?.push(String(body["body"]));
    return { status: 201, json: { id: board.nextId++ } };
  }
  const found = board.issues.find(({ id }) => rest === `/issues/${id}`);
  if (found === undefined || method !== "PUT") return { status: 404, json: { message: "404 Not found" } };
  if (typeof body["description"] === "string") found.body = body["description"];
  if (typeof body["title"] === "string") found.title = body["title"];
  if (body["state_event"] === "close") found.isOpen = false;
  return { status: 200, json: issue(found, origin) };
}

function carryOut(board: Board, text: string): void {
  const outside = text.replace(/^(`{3,})[\s\S]*?^\1$/gm, "");
  board.carriedOut.push(...[...outside.matchAll(/^\s*(\/\w+.*)$/gm)].map(([, command = ""]) => command));
}

function page({ query }: Asked, all: readonly object[]): Answered {
  const size = Math.min(100, Number(query.get("per_page") ?? 20));
  const number = Number(query.get("page") ?? 1);
  const rel = number * size < all.length ? "next" : "prev";
  const headers = { link: `<https://elsewhere.example/?page=9>; rel="${rel}"` };
  return { status: 200, headers, json: all.slice((number - 1) * size, number * size) };
}

function note({ id, body, by }: Post): object {
  return { id, body, system: false, author: { id: by.id, username: by.login } };
}

function issue({ id, title, body, by, isOpen }: Issue, origin: string): object {
  return {
    id: id * 1000,
    iid: id,
    title,
    description: body,
    state: isOpen ? "opened" : "closed",
    author: { id: by.id, username: by.login },
    web_url: `${origin}/shop/infra/-/issues/${id}`,
  };
}
