import type { Answered, Asked, Author, Board, Issue, MergeRequest, Post } from "./forge-server";
import { answerRequests, recentRuns } from "./recent-runs";

const at = "/repos/shop/infra";
/** Maximum number of characters of a body. */
const longest = 65_536;

/** Answers like GitHub: `link` for further pages, 403 without the permission, 404 for missing objects, 422 for bad bodies. */
export function answerGithub(board: Board, asked: Asked, origin: string): Answered {
  const { method, path, body, token } = asked;
  if (path === "/user") {
    return token.kind === "person" ? { status: 200, json: user(token.as) } : notByIntegration();
  }
  if (!path.startsWith(at)) return notFound();
  const isChange = method !== "GET";
  if (isChange && token.kind === "read") return notByIntegration();
  if (isChange && String(body["body"] ?? "").length > longest) {
    return { status: 422, json: { message: "Validation Failed" } };
  }
  const rest = path.slice(at.length);
  if (rest === "") return { status: 200, json: { full_name: "shop/infra", default_branch: "main" } };
  const workflow = /^\/actions\/workflows\/([\w.-]+)\/runs$/.exec(rest)?.[1];
  if (workflow !== undefined) {
    return { status: 200, json: { workflow_runs: recentRuns(board.runs[workflow], asked.query, "branch") } };
  }
  const environment = /^\/environments\/([^/]+)$/.exec(rest)?.[1];
  if (environment !== undefined) {
    const name = decodeURIComponent(environment);
    const found = board.environments[name];
    return found === undefined ? notFound() : { status: 200, json: { id: 7, name, ...found } };
  }
  if (rest === "/issues/7/comments") {
    if (method === "GET") return page(asked, origin, board.comments.map(comment));
    const post: Post = { id: board.nextId++, by: token.as, body: String(body["body"]) };
    board.comments.push(post);
    return { status: 201, json: comment(post) };
  }
  const edited = /^\/issues\/comments\/(\d+)$/.exec(rest)?.[1];
  if (edited !== undefined && method === "PATCH") {
    const post = board.comments.find(({ id }) => id === Number(edited));
    if (post === undefined) return notFound();
    post.body = String(body["body"]);
    return { status: 200, json: comment(post) };
  }
  const pulls = /^\/pulls(?:\/(\d+))?$/.exec(rest);
  const taken: Answered = { status: 422, json: { message: "Validation Failed" } };
  const words = { head: "head", base: "base", text: "body", edits: "PATCH", conflict: taken } as const;
  if (pulls) return answerRequests(board, asked, pulls[1], { ...words, shown: pull });
  if (rest === "/issues") {
    if (method === "GET") {
      const open = asked.query.get("state") === "open";
      return page(asked, origin, board.issues.filter(({ isOpen }) => isOpen || !open).map(issue));
    }
    const made: Issue = {
      id: board.nextId++,
      by: token.as,
      isOpen: true,
      talk: [],
      title: String(body["title"]),
      body: String(body["body"]),
    };
    board.issues.push(made);
    return { status: 201, json: issue(made) };
  }
  const [, discussed] = /^\/issues\/(\d+)\/comments$/.exec(rest) ?? [];
  const issueOf = board.issues.find(({ id }) => id === Number(discussed));
  if (issueOf !== undefined && method === "POST") {
    issueOf.talk?.push(String(body["body"]));
    return { status: 201, json: { id: board.nextId++ } };
  }
  const changed = /^\/issues\/(\d+)$/.exec(rest)?.[1];
  const found = board.issues.find(({ id }) => id === Number(changed));
  if (found === undefined || method !== "PATCH") return notFound();
  if (typeof body["body"] === "string") found.body = body["body"];
  if (typeof body["title"] === "string") found.title = body["title"];
  if (body["state"] === "closed") found.isOpen = false;
  return { status: 200, json: issue(found) };
}

function pull({ id, title, body, branch, isFork }: MergeRequest): object {
  const head = { ref: branch, repo: { full_name: isFork ? "mallory/infra" : "shop/infra" } };
  return { number: id, title, body, head, html_url: `https://github.example/shop/infra/pull/${id}` };
}

function page({ query, path }: Asked, origin: string, all: readonly object[]): Answered {
  const size = Math.min(100, Number(query.get("per_page") ?? 30));
  const number = Number(query.get("page") ?? 1);
  const isLast = number * size >= all.length;
  // Another host. A client that follows this link would send its token there.
  const next = `<https://elsewhere.example${path}?page=${number + 1}>; rel="next", <${origin}${path}?page=9>; rel="last"`;
  const json = all.slice((number - 1) * size, number * size);
  return { status: 200, ...(!isLast && { headers: { link: next } }), json };
}

function comment({ id, body, by }: Post): object {
  const html_url = `https://github.example/shop/infra/pull/7#issuecomment-${id}`;
  return { id, body: body.replaceAll("\n", "\r\n"), user: user(by), html_url };
}

function issue({ id, title, body, by, isOpen, isPullRequest }: Issue): object {
  return {
    id: id * 1000,
    number: id,
    title,
    body,
    state: isOpen ? "open" : "closed",
    user: user(by),
    html_url: `https://github.example/shop/infra/issues/${id}`,
    ...(isPullRequest && { pull_request: { url: "…" } }),
  };
}

function user({ id, login, isBot }: Author): object {
  return { id, login, type: isBot ? "Bot" : "User" };
}

function notFound(): Answered {
  return { status: 404, json: { message: "Not Found" } };
}

function notByIntegration(): Answered {
  return { status: 403, json: { message: "Resource not accessible by integration" } };
}
