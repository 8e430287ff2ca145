import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { answerGithub } from "./github-api";
import { answerGitlab } from "./gitlab-api";

export interface Author {
  readonly id: number;
  readonly login: string;
  readonly isBot: boolean;
}

export interface Post {
  readonly id: number;
  readonly by: Author;
  body: string;
}

export interface Issue extends Post {
  title: string;
  isOpen: boolean;
  readonly isPullRequest?: boolean;
  /** Comments on the issue. */
  readonly talk?: string[];
}

/** A request to merge a branch into main, of GitHub or GitLab. */
export interface MergeRequest extends Issue {
  readonly branch: string;
  /** Whether the branch is in a fork. */
  readonly isFork?: boolean;
}

/** The content of the forge, which both APIs show. */
export interface Board {
  /** Comments of pull or merge request 7, the only one. */
  readonly comments: Post[];
  readonly issues: Issue[];
  readonly requests: MergeRequest[];
  /** Commands in texts that GitLab has executed. */
  readonly carriedOut: string[];
  /** Scheduled runs, newest first, by workflow on GitHub or by pipeline name on GitLab. */
  readonly runs: Record<string, readonly WorkflowRun[]>;
  /** Responses by name: about an environment on GitHub, or a protected environment on GitLab. */
  readonly environments: Record<string, object>;
  /** The commit of each branch, which Git reads over HTTP. */
  readonly heads: Record<string, string>;
  nextId: number;
}

export interface WorkflowRun {
  readonly ended: Date;
  readonly branch: string;
  readonly event: string;
  readonly hasFailed?: boolean;
}

export interface Token {
  readonly token: string;
  readonly as: Author;
  /** `installation`: a workflow's token, which may not read its user. `read`: the token of a pull request from a fork. */
  readonly kind: "person" | "installation" | "read";
}

export interface Asked {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly token: Token;
}

export interface Answered {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** A response, or `lost` for a request that is carried out without a response. */
export type Suffered = Answered | "lost";

export interface ForgeServer {
  readonly board: Board;
  readonly journal: string[];
  /** Returns the environment of a job on GitHub or GitLab. */
  github(kind?: Token["kind"]): NodeJS.ProcessEnv;
  gitlab(kind?: Token["kind"]): NodeJS.ProcessEnv;
  /** Applies the faults in turn to the next requests that match. */
  next(match: RegExp, ...faults: readonly Suffered[]): void;
  stop(): Promise<void>;
}

export const us: Author = { id: 1, login: "github-actions[bot]", isBot: true };
export const person: Author = { id: 2, login: "mallory", isBot: false };

const tokens: readonly Token[] = [
  { token: "ghs_installation-token-of-the-tests", as: us, kind: "installation" },
  { token: "ghp_token-of-a-person-in-the-tests", as: { ...us, login: "ops", isBot: false }, kind: "person" },
  { token: "ghs_read-only-token-of-the-tests", as: us, kind: "read" },
];

/** Starts a server on loopback. */
export async function startForge(): Promise<ForgeServer> {
  const board: Board = {
    comments: [],
    issues: [],
    requests: [],
    carriedOut: [],
    runs: {},
    environments: {},
    heads: {},
    nextId: 100,
  };
  const journal: string[] = [];
  const faults: { match: RegExp; suffered: Suffered }[] = [];
  const server = createServer((request, response) => {
    void handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://forge");
    if (url.pathname.startsWith("/shop/infra")) return git(url, request, response);
    const isGithub = !url.pathname.startsWith("/api/v4");
    const path = url.pathname.replace(/^\/api\/v\d/, "");
    const call = `${request.method} ${path}`;
    journal.push(`${call}${url.search}`);
    const fault = take(call);
    if (fault !== undefined && fault !== "lost") return send(response, fault);
    const said = isGithub
      ? /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1]
      : String(request.headers["private-token"]);
    const token = tokens.find((known) => known.token === said);
    if (token === undefined) return send(response, { status: 401, json: { message: "Bad credentials" } });
    const body = await text(request);
    const parsed = body === "" ? {} : JSON.parse(body);
    const asked: Asked = { method: request.method ?? "", path, query: url.searchParams, body: parsed, token };
    const answered = isGithub ? answerGithub(board, asked, origin()) : answerGitlab(board, asked, origin());
    if (fault === "lost") return void request.socket.destroy();
    send(response, answered);
  }

  /** Answers Git's request for the list of branches, which Git first sends without a token. */
  function git(url: URL, { headers }: IncomingMessage, response: ServerResponse): void {
    const said = /^Basic (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
    const [, token] = Buffer.from(said, "base64").toString("utf8").split(":");
    if (!tokens.some((known) => known.token === token)) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="Git"' }).end();
    } else if (!url.pathname.endsWith("/info/refs")) {
      response.writeHead(404).end();
    } else {
      const lines = Object.entries(board.heads).map(
        ([branch, commit]) => `${commit}\trefs/heads/${branch}\n`,
      );
      response.end(lines.join(""));
    }
  }

  function take(call: string): Suffered | undefined {
    const at = faults.findIndex(({ match }) => match.test(call));
    return at < 0 ? undefined : faults.splice(at, 1)[0]?.suffered;
  }

  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tokenOf = (kind: Token["kind"]): string => tokens.find((token) => token.kind === kind)?.token ?? "";
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    board,
    journal,
    github: (kind = "installation") => ({
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: `${origin()}/api/v3`,
      GITHUB_REPOSITORY: "shop/infra",
      GITHUB_SERVER_URL: origin(),
      GITHUB_TOKEN: tokenOf(kind),
    }),
    gitlab: (kind = "person") => ({
      GITLAB_CI: "true",
      CI_API_V4_URL: `${origin()}/api/v4`,
      CI_PROJECT_ID: "42",
      CI_MERGE_REQUEST_IID: "7",
      CI_REPOSITORY_URL: `${origin().replace("//", `//gitlab-ci-token:${tokenOf("read")}@`)}/shop/infra.git`,
      GITLAB_TOKEN: tokenOf(kind),
    }),
    next(match, ...list) {
      faults.push(...list.map((suffered) => ({ match, suffered })));
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, { status, headers = {}, json = {} }: Answered): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(json));
}
