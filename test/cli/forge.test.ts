import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../provider/src/api/clock";
import { type ForgeServer, person, startForge, us } from "../forge/forge-server";
import { type Ended, type Given, pageGuard } from "./support/console";

const marker = "<!-- page-guard:review production -->";
const limited = (headers: Record<string, string>, message: string, status = 403) => ({
  status,
  headers,
  json: { message },
});

describe("page-guard comment and page-guard issue", () => {
  let forge: ForgeServer;
  let folder: string;
  let said: string;
  /** What was waited for, in seconds; nothing is. */
  let waited: number[];
  const clock: Clock = {
    now: () => 0,
    epochNow: () => 0,
    schedule(ms, callback) {
      waited.push(Math.round(ms / 1000));
      setImmediate(callback);
      return () => undefined;
    },
  };

  beforeEach(async () => {
    forge = await startForge();
    folder = mkdtempSync(join(tmpdir(), "page-guard-forge-"));
    said = "";
    waited = [];
  });

  afterEach("no token was shown", async () => {
    await forge.stop();
    rmSync(folder, { recursive: true, force: true });
    assert.doesNotMatch(said, /gh[sp]_/);
  });

  async function run(args: readonly string[], env: NodeJS.ProcessEnv, given: Given = {}): Promise<Ended> {
    const ended = await pageGuard(args, { cwd: folder, clock, env, ...given });
    said += ended.out + ended.err;
    return ended;
  }

  function file(name: string, text: string): string {
    writeFileSync(join(folder, name), text);
    return name;
  }

  const asked = (what: RegExp): string[] =>
    forge.journal.filter((call) => what.test(call) && !call.startsWith("POST /api/graphql"));

  const places: readonly { readonly name: string; env(): NodeJS.ProcessEnv }[] = [
    {
      name: "GitHub",
      env: () => ({
        ...forge.github(),
        GITHUB_EVENT_PATH: file("event.json", '{"pull_request":{"number":7}}'),
      }),
    },
    { name: "GitLab", env: () => forge.gitlab() },
  ];

  for (const { name, env } of places) {
    describe(`on ${name}`, () => {
      it("posts a review once, edits it where it changed, and leaves it where it did not", async () => {
        const first = await run(
          ["comment", "--markdown", file("a.md", `${marker}\nNothing changes.\n`)],
          env(),
        );
        assert.equal(first.code, 0, first.err);
        assert.match(first.out, /^Posted the comment on /);
        const same = await run(["comment", "--markdown", "a.md"], env());
        assert.match(same.out, /^Unchanged: the comment on /);
        const edited = await run(["comment", "--markdown", file("b.md", `${marker}\n1 deleted.\n`)], env());
        assert.match(edited.out, /^Edited the comment on /);
        assert.deepEqual(
          forge.board.comments.map(({ body }) => body.trim()),
          [`${marker}\n1 deleted.`],
        );
        assert.equal(asked(/^(POST|PATCH|PUT) /).length, 2);
      });

      it("finds its comment on the third page, and takes no other for it: another stack's, a person's, one that quotes it", async () => {
        const { comments } = forge.board;
        comments.push({ id: 1, by: person, body: `${marker}\nforged: approved by everybody` });
        comments.push({ id: 2, by: us, body: "<!-- page-guard:review production-eu -->\nother stack" });
        comments.push({ id: 3, by: us, body: `see ${marker}` });
        for (let id = 10; id < 230; id += 1) comments.push({ id, by: person, body: `comment ${id}` });
        comments.push({ id: 999, by: us, body: `${marker}\nold` });
        const { code, err } = await run(["comment", "--markdown", file("a.md", `${marker}\nnew`)], env());
        assert.equal(code, 0, err);
        assert.deepEqual(
          comments.filter(({ id }) => id < 10 || id === 999).map(({ body }) => body),
          [
            `${marker}\nforged: approved by everybody`,
            "<!-- page-guard:review production-eu -->\nother stack",
            `see ${marker}`,
            `${marker}\nnew`,
          ],
        );
        assert.equal(asked(/^GET .*page=/).length, 3);
      });

      it("opens one issue, edits it, closes it, and opens another the next time", async () => {
        const issue = ["issue", "--title", "Drift in production"];
        forge.board.issues.push({
          id: 5,
          by: us,
          title: "x",
          body: "x",
          isOpen: true,
          isPullRequest: name === "GitHub",
        });
        assert.match((await run([...issue, "--close"], env())).out, /^No such issue is open/);
        const opened = await run(
          [...issue, "--file", file("drift.txt", "shop: gone: x\n@all ```\n/close\n")],
          env(),
        );
        assert.match(opened.out, /^Opened #100 of /, opened.err);
        assert.match((await run([...issue, "--file", "drift.txt"], env())).out, /^Unchanged: #100/);
        const edited = await run([...issue, "--file", file("drift.txt", "shop: gone: y\n")], env());
        assert.match(edited.out, /^Edited #100/);
        assert.match((await run([...issue, "--close"], env())).out, /^Closed #100/);
        assert.match((await run([...issue, "--file", "drift.txt"], env())).out, /^Opened #101/);
        const mine = forge.board.issues.filter(({ id }) => id >= 100);
        assert.deepEqual(
          mine.map(({ title, isOpen, body }) => [title, isOpen, body]),
          [false, true].map((isOpen) => [
            "Drift in production",
            isOpen,
            "<!-- page-guard:issue Drift%20in%20production -->\n```text\nshop: gone: y\n```",
          ]),
        );
        assert.deepEqual(forge.board.carriedOut, []);
      });

      it("posts once when the answer is lost, and when the first attempt never arrived", async () => {
        const where = name === "GitHub" ? /POST .*comments/ : /POST .*notes/;
        forge.next(where, "lost");
        const lost = await run(["comment", "--markdown", file("a.md", `${marker}\nreview`)], env());
        assert.equal(lost.code, 0, lost.err);
        assert.equal(forge.board.comments.length, 1);
        forge.board.comments.length = 0;
        forge.next(where, "dropped");
        assert.equal((await run(["comment", "--markdown", "a.md"], env())).code, 0);
        assert.equal(forge.board.comments.length, 1);
        forge.board.comments.length = 0;
        forge.next(where, { status: 502 }, { status: 502 });
        const never = await run(["comment", "--markdown", "a.md"], env());
        assert.equal(never.code, 1);
        assert.match(never.err, /may or may not have been created/);
      });

      it("keeps one of two that were made at once, and lets the other not pass for it", async () => {
        forge.board.comments.push({ id: 1, by: us, body: `${marker}\nold one` });
        forge.board.comments.push({ id: 2, by: us, body: `${marker}\nold two` });
        await run(["comment", "--markdown", file("a.md", `${marker}\nnew`)], env());
        assert.deepEqual(
          forge.board.comments.map(({ body }) => body),
          [`${marker}\nnew`, `${marker}\nThis is no longer updated: another one replaces it.`],
        );
      });

      it("waits as long as a limit says, reports it, and gives up if that is too long", async () => {
        const reset = String(Math.ceil(Date.now() / 1000) + 90);
        forge.next(
          /POST/,
          limited({ "retry-after": "7" }, "Too Many Requests", 429),
          limited(
            {
              "x-ratelimit-remaining": "0",
              "x-ratelimit-reset": reset,
              "ratelimit-remaining": "0",
              "ratelimit-reset": reset,
            },
            "API rate limit exceeded",
          ),
        );
        const { code, err } = await run(["comment", "--markdown", file("a.md", `${marker}\nreview`)], env());
        assert.equal(code, 0, err);
        assert.equal(waited[0], 7);
        assert.ok((waited[1] ?? 0) >= 90 && (waited[1] ?? 0) <= 93, String(waited));
        assert.match(err, /127\.0\.0\.1:\d+ reached its rate limit: waiting 7 s\./);
        assert.equal(forge.board.comments.length, 1);
        forge.next(/GET/, limited({ "retry-after": "4000" }, "slow down", 429));
        const long = await run(["comment", "--markdown", "a.md"], env());
        assert.equal(long.code, 1);
        assert.match(long.err, /asks to wait 4000 s, longer than --wait allows/);
      });

      it("reads again after a fault of the server, three times at most", async () => {
        forge.next(/GET .*(comments|notes)/, { status: 502 }, "dropped");
        assert.equal((await run(["comment", "--markdown", file("a.md", `${marker}\nx`)], env())).code, 0);
        assert.deepEqual(waited, [1, 3]);
        forge.next(/GET/, { status: 500 }, { status: 500 }, { status: 500 });
        const dead = await run(["comment", "--markdown", "a.md"], env());
        assert.equal(dead.code, 1);
        assert.match(dead.err, /Failed to GET \S+ at 127\.0\.0\.1:\d+: HTTP 500\. Run the job again later\./);
      });

      it("says what a refusal means, and shows nothing in it that a terminal or a CI would obey", async () => {
        const comment = ["comment", "--markdown", file("a.md", `${marker}\nx`)];
        const wrong = await run([...comment, "--number", "8"], env());
        assert.equal(wrong.code, 1);
        assert.match(wrong.err, /answered 404 .*has no such (pull|merge) request/);
        const read = { ...env(), ...(name === "GitHub" ? forge.github("read") : forge.gitlab("read")) };
        const refused = await run(comment, read);
        assert.equal(refused.code, 1);
        assert.match(refused.err, /answered 403 .*(pull-requests: write|scope api)/);
        const expired = await run(comment, {
          ...env(),
          GITHUB_TOKEN: "ghs_expired-token-of-no-use",
          GITLAB_TOKEN: "ghs_expired-token-of-no-use",
        });
        assert.match(expired.err, /TOKEN is invalid or expired/);
        forge.next(
          /POST/,
          limited({}, `\u001b[2J::error::x ${env()["GITHUB_TOKEN"] ?? env()["GITLAB_TOKEN"]}`),
        );
        const hostile = await run(comment, env());
        assert.match(hostile.err, /\[token\]/);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there
        assert.doesNotMatch(hostile.err, /\u001b|::error/);
        assert.equal(forge.board.comments.length, 0);
      });
    });
  }

  it("waits a minute, then two, if GitHub's secondary limit is only a sentence", async () => {
    const secondary = limited({}, "You have exceeded a secondary rate limit. Please wait.");
    forge.next(/POST/, secondary, secondary);
    const env = { ...forge.github(), GITHUB_EVENT_PATH: "" };
    const { code, err } = await run(
      ["comment", "--markdown", file("a.md", `${marker}\nx`), "--number", "7"],
      env,
    );
    assert.equal(code, 0, err);
    assert.deepEqual(waited, [60, 120]);
  });

  it("given limits of both its APIs, then --wait is the time for all of them together", async () => {
    forge.board.comments.push({ id: 1, by: us, body: `${marker}\nold` });
    forge.next(/GET/, limited({ "retry-after": "200" }, "slow down", 429));
    forge.next(/graphql/, limited({ "retry-after": "200" }, "slow down", 429));
    const { code, err } = await run(
      ["comment", "--markdown", file("a.md", `${marker}\nx`), "--number", "7", "--wait", "300"],
      forge.github(),
    );
    assert.equal(code, 1);
    assert.match(err, /asks to wait 200 s, longer than --wait allows/);
    assert.deepEqual(waited, [200]);
  });

  it("given a comment of another app with our marker, then the token of a workflow leaves it alone and writes its own", async () => {
    const forged = { id: 1, by: { id: 9, login: "other[bot]", isBot: true }, body: `${marker}\nforged` };
    forge.board.comments.push(forged);
    const comment = ["comment", "--markdown", file("a.md", `${marker}\nx`), "--number", "7"];
    for (const did of [/^Posted/, /^Unchanged/]) assert.match((await run(comment, forge.github())).out, did);
    await run(["issue", "--title", "t", "--file", "a.md"], forge.github());
    assert.deepEqual(
      forge.board.comments.map(({ by, body }) => [by.login, body.trim()]),
      [
        ["other[bot]", `${marker}\nforged`],
        ["github-actions[bot]", `${marker}\nx`],
      ],
    );
  });

  for (const [name, who, env] of [
    ["GitHub", /POST \/api\/graphql/, () => forge.github()],
    ["GitLab", /GET \/user/, () => forge.gitlab()],
  ] as const) {
    it(`given ${name} that does not say who owns the token, then it says so, leaves existing texts alone and writes its own`, async () => {
      forge.board.comments.push({ id: 1, by: us, body: `${marker}\nof us, as it seems` });
      forge.board.issues.push({
        id: 5,
        by: us,
        title: "t",
        body: "<!-- page-guard:issue t -->",
        isOpen: true,
      });
      const refusals = [
        { status: 403, json: { message: "Resource not accessible by integration" } },
        { status: 200, json: { errors: [{ message: "no" }] } },
      ];
      for (const [index, refusal] of refusals.entries()) {
        forge.next(who, refusal);
        const { code, out, err } = await run(
          ["comment", "--markdown", file("a.md", `${marker}\nnew ${index}`), "--number", "7"],
          env(),
        );
        assert.equal(code, 0, err);
        assert.match(out, /^Posted/);
        assert.match(
          err,
          /^Failed to find out who owns this token, so existing texts with our marker are not edited/,
        );
        assert.equal(err.match(/who owns this token/g)?.length, 1);
      }
      forge.next(who, ...refusals.slice(0, 1));
      const closed = await run(["issue", "--title", "t", "--close"], env());
      assert.match(closed.err, /Failed to find out who owns this token/);
      assert.ok(forge.board.issues[0]?.isOpen);
      assert.deepEqual(
        forge.board.comments.map(({ body }) => body.trim()),
        [`${marker}\nof us, as it seems`, `${marker}\nnew 0`, `${marker}\nnew 1`],
      );
    });

    it(`given ${name} that fails for a moment when it is asked whose token it is, then it is asked again`, async () => {
      forge.board.comments.push({ id: 1, by: us, body: `${marker}\nold` });
      forge.next(who, { status: 502 }, "dropped");
      const args = ["comment", "--markdown", file("a.md", `${marker}\nnew`), "--number", "7"];
      assert.match((await run(args, env())).out, /^Edited/);
      assert.equal(forge.board.comments.length, 1);
    });
  }

  it("knows a person's token by asking, and edits no bot's comment with it", async () => {
    forge.board.comments.push({
      id: 1,
      by: { id: 9, login: "other[bot]", isBot: true },
      body: `${marker}\nold`,
    });
    await run(
      ["comment", "--markdown", file("a.md", `${marker}\nx`), "--number", "7"],
      forge.github("person"),
    );
    assert.equal(forge.board.comments.length, 2);
  });

  it("lets no line of a text be a command of GitLab, outside of code", async () => {
    const text = `${marker}\n/merge\n  /approve now\n\`\`\`text\n/close\n\`\`\`\nand/or\n/assign me\n`;
    await run(["comment", "--markdown", file("a.md", text)], forge.gitlab());
    assert.deepEqual(forge.board.carriedOut, []);
    assert.match(
      forge.board.comments[0]?.body ?? "",
      /&#47;merge\n {2}&#47;approve now\n```text\n\/close\n```\nand\/or\n&#47;assign/,
    );
  });

  it("cuts what a forge would refuse at the end of a line, closes what was open, and counts what is left out", async () => {
    const long = `${marker}\n<details>\n\n\`\`\`text\n${"a long line of a review\n".repeat(4000)}`;
    const env = forge.github();
    assert.equal((await run(["comment", "--markdown", file("a.md", long), "--number", "7"], env)).code, 0);
    const body = forge.board.comments[0]?.body ?? "";
    assert.ok(body.length < 65_000);
    assert.match(body, /review\n```\n<\/details>\n\n\(\d{4} more lines are left out\.\)$/);
    await run(["issue", "--title", "t", "--file", file("a.txt", "```` \n".repeat(20_000))], env);
    assert.match(
      forge.board.issues[0]?.body ?? "",
      /^<!-- page-guard:issue t -->\n`{5}text\n[\s\S]*\n`{5}\n\n\(\d+ more lines are left out\.\)$/,
    );
  });

  it("says what is missing before it asks anybody", async () => {
    const review = ["comment", "--markdown", file("a.md", `${marker}\nx`)];
    const cases: [readonly string[], NodeJS.ProcessEnv, RegExp][] = [
      [review, {}, /neither a GitHub nor a GitLab job/],
      [review, { GITHUB_ACTIONS: "true" }, /GITHUB_REPOSITORY is not set/],
      [review, { ...forge.github(), GITHUB_TOKEN: "" }, /GITHUB_TOKEN is not set/],
      [review, forge.github(), /does not belong to a pull or merge request/],
      [review, { ...forge.github(), GITHUB_EVENT_PATH: "none.json" }, /the file of GITHUB_EVENT_PATH/],
      [
        review,
        { ...forge.github(), GITHUB_API_URL: "http://api.example.com" },
        /GITHUB_API_URL is not an https URL/,
      ],
      [review, { ...forge.gitlab(), GITLAB_TOKEN: "" }, /GITLAB_TOKEN is not set/],
      [review, { ...forge.gitlab(), CI_PROJECT_ID: "" }, /CI_PROJECT_ID is not set/],
      [review, { ...forge.gitlab(), CI_MERGE_REQUEST_IID: "" }, /does not belong to a pull or merge request/],
      [
        ["comment", "--markdown", file("b.md", "no marker")],
        forge.github(),
        /The first line is not <!-- page-guard:review/,
      ],
      [["comment", "--markdown", "none.md"], forge.github(), /Failed to read none\.md/],
      [["issue", "--title", "a\nb", "--close"], forge.github(), /A title is one line/],
      [["issue", "--title", "a"], forge.github(), /Give either --file FILE/],
      [["issue", "--title", "a", "--close", "--file", "a.md"], forge.github(), /Give either --file FILE/],
    ];
    for (const [args, env, expected] of cases) {
      const { code, err } = await run(args, env);
      assert.equal(code, 1, String(expected));
      assert.match(err, expected);
    }
    assert.deepEqual(forge.journal, []);
  });
});
