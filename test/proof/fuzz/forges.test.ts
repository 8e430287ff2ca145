import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { CommandError } from "../../../command/src/command-error";
import { forgeOf } from "../../../command/src/forge/forges";
import { keepOne } from "../../../command/src/forge/keep-one";
import { processSession, type Session } from "../../../command/src/session";
import { odd } from "./corpus";
import { anyText, damaged, feedLater } from "./fuzz";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const token = "ghs_a-token-that-nobody-may-see";
const marker = "<!-- page-guard:review production -->";
const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;

const comment = {
  id: 7,
  body: `${marker}\nNothing changes.`,
  html_url: "https://github.example/shop/infra/pull/7#issuecomment-7",
  user: { login: "github-actions[bot]", type: "Bot" },
  author: { id: 1 },
  system: false,
};
const issue = {
  ...comment,
  number: 3,
  iid: 3,
  description: `${marker}\nDrift.`,
  web_url: "https://gitlab.example/shop/infra/-/issues/3",
};
const samples: readonly unknown[] = [
  [comment],
  [issue, { ...issue, number: 4, iid: 4 }],
  comment,
  issue,
  { id: 1, login: "github-actions[bot]" },
  { message: `Bad credentials: ${token}` },
  { message: { base: [token] }, error: token },
];

describe("Answers of GitHub and GitLab, whatever comes", () => {
  let server: Server;
  let session: Session;
  let answers: readonly Answer[] = [];
  let said: string;
  let asked: number;
  function hear(text: string): void {
    said += text;
  }

  before(async () => {
    server = createServer((request, response) => {
      request.resume();
      const answer = answers[asked % answers.length];
      asked += 1;
      if (answer === undefined || asked > 500) return void request.socket.destroy();
      response.writeHead(answer.status, { ...answer.headers, "content-type": "application/json" });
      response.end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    session = {
      ...processSession(),
      out: hear,
      err: hear,
      env: {
        GITHUB_API_URL: url,
        GITHUB_REPOSITORY: "shop/infra",
        GITHUB_TOKEN: token,
        CI_API_V4_URL: url,
        CI_PROJECT_ID: "42",
        GITLAB_TOKEN: token,
      },
    };
  });

  after(() => {
    server.close();
    server.closeAllConnections();
  });

  const bodies = fc.oneof(
    { weight: 4, arbitrary: damaged(samples).map((value) => JSON.stringify(value) ?? "") },
    { weight: 2, arbitrary: fc.constantFrom(...samples).map((value) => JSON.stringify(value)) },
    fc.json({ maxDepth: 5 }),
    anyText(["[", "]", "{", "}", '"id":', "1", ",", '"body":', token, ...odd]),
    fc.constantFrom(deep, `{"message":${deep}}`, `[{"id":1e400,"body":${deep}}]`),
  );
  const statuses = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(200, 201) },
    fc.constantFrom(301, 401, 403, 404, 410, 422, 429, 429, 500, 503),
  );
  const times = fc.constantFrom("0", "1", "59", "1e9", "-1", "soon", "9".repeat(30));
  const headers = fc.dictionary(
    fc.constantFrom("retry-after", "x-ratelimit-remaining", "x-ratelimit-reset", "ratelimit-reset"),
    times,
    { maxKeys: 3 },
  );
  const links = fc.constantFrom({}, { link: `<http://127.0.0.1:1/x>; rel="next"`, "x-next-page": "2" });
  const conversation = fc.array(
    fc
      .tuple(statuses, headers, links, bodies)
      .map(([status, some, next, body]): Answer => ({ status, headers: { ...some, ...next }, body })),
    { minLength: 1, maxLength: 5 },
  );

  for (const on of ["github", "gitlab"] as const) {
    it(`${on}: a text is kept, or it is told why not; it ends, and never tells the token`, async () => {
      await feedLater(fc.tuple(conversation, fc.boolean()), async ([given, isIssue]) => {
        answers = given;
        [said, asked] = ["", 0];
        const forge = forgeOf(session, { on });
        const board = isIssue ? forge.issues : forge.comments(7);
        const text = { ...(isIssue && { title: "Drift" }), body: `${marker}\nNothing changes.` };
        try {
          assert.equal(await keepOne(session, forge, board, { marker, author: undefined, text }), 0);
        } catch (error) {
          assert.ok(error instanceof CommandError, `${error instanceof Error ? error.stack : error}`);
          assert.ok(error.message.length > 20 && error.message.length < 2000, error.message);
          said += error.message;
        }
        assert.ok(!said.includes(token), said);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
        assert.doesNotMatch(said, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202a-\u202e]/);
        assert.ok(asked <= 500, `${asked} requests`);
      });
    });
  }
});
