import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { us as app, type ForgeServer, person, startForge } from "./forge/forge-server";
import { type Ended, pageGuard, useFolder } from "./support/console";

const marker = "<!-- page-guard:review production -->";
const issueMarker = "<!-- page-guard:issue inventory -->";

/** The first heading of the text of each night. It changes with the worst finding, and is never new. */
const titles = ["## one: off", "## two: off", "## one: off; two: off", "## none"];
const tableOf = (zone: string, ...rows: readonly string[]) =>
  `### ${zone}\n\n| | Script | Line |\n| --- | --- | --- |\n${rows.join("\n")}`;
const row = (script: string, days: number, line: number) =>
  `| error | \`https://a.example/${script}.js\` | for ${days} days | ${line} |`;
const chatIn = (days: number, ...zones: readonly string[]) =>
  zones.map((zone) => tableOf(zone, row("chat", days, 4))).join("\n\n");
const codeOf = (...lines: readonly string[]) => lines.map((line) => `    ${line}`).join("\n");
const driftOf = (number: number) => [
  `shop: changed: waf rules[${number}].enabled: true => false`,
  `shop: never declared: rule skip if ip.src eq 192.0.2.${number}`,
  `shop-${number}: gone: shop-${number}-settings`,
];
const portsOf = (...ports: readonly number[]) => [
  ...ports.flatMap((port) => [
    `shop: never declared: rule skip, if (tcp.dstport eq ${port})`,
    `shop: changed: checkout expression: "port == 1" => "port == ${port}"`,
  ]),
  `${ports.length} differences in 1 of ${ports.length + 1} zones.`,
  `shop: not declared: ${ports.length} of 9 rules`,
];
const quoted = (pages: number, days: number) =>
  `- policy "Checkout ${pages} pages" was switched off ${days} days ago.`;
const seenOf = (number: number, day: number) =>
  [`chunk-${number}.js`, `${number}.js`, `a.js?v=${number}`]
    .map((name) => `- https&#58;&#8203;//cdn.example/${name} was first seen on 2026-11-0${day}.`)
    .join("\n");

/** Each night has a text and, if it has news, the comment of the night, without its title. */
const nightsOfAnIssue: Readonly<Record<string, readonly (readonly [text: string, news?: string])[]>> = {
  "findings in a table, but not fewer findings or other numbers": [
    [tableOf("pay", row("chat", 3, 4))],
    [tableOf("pay", row("chat", 4, 9))],
    [
      tableOf("pay", row("skimmer", 1, 9), row("chat", 4, 9), row("2", 1, 4)),
      tableOf("pay", row("skimmer", 1, 9), row("2", 1, 4)),
    ],
    [tableOf("pay", row("chat", 5, 4))],
  ],
  "the same finding in another zone, but not in another order": [
    [chatIn(3, "pay-1")],
    [chatIn(3, "pay-1", "pay-2"), chatIn(3, "pay-2")],
    [chatIn(4, "pay-2", "pay-1")],
    [chatIn(5, "pay-2")],
  ],
  "lines whose names differ only in numbers, but not other counts": [
    [codeOf(...driftOf(1), "3 differences in 1 zone.")],
    [
      codeOf(...driftOf(1), ...driftOf(7), "6 differences in 1 zone."),
      `${titles[1]}\n\n${codeOf(...driftOf(7))}`,
    ],
    [codeOf(...driftOf(7), "3 differences in 1 zone.")],
  ],
  "items whose names differ only in numbers, but not other dates": [
    [seenOf(1, 1)],
    [seenOf(2, 1), `${titles[1]}\n\n${seenOf(2, 1)}`],
    [seenOf(2, 2)],
  ],
  "values that differ only in numbers, but not the counts below them": [
    [codeOf(...portsOf(8443))],
    [codeOf(...portsOf(8443, 22)), `${titles[1]}\n\n${codeOf(...portsOf(22).slice(0, 2))}`],
    [codeOf(...portsOf(22))],
  ],
  "quoted names that differ only in numbers, but not other numbers": [
    [quoted(2, 4)],
    [quoted(2, 5)],
    [quoted(3, 5), `${titles[2]}\n\n${quoted(3, 5)}`],
  ],
};

describe("page-guard comment and page-guard issue", () => {
  let forge: ForgeServer;
  const folder = useFolder();
  let said: string;

  beforeEach(async () => {
    forge = await startForge();
    said = "";
  });

  afterEach("no token was shown", async () => {
    await forge.stop();
    assert.doesNotMatch(said, /gh[sp]_/);
  });

  async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
    const ended = await pageGuard(args, { cwd: folder, env });
    said += ended.out + ended.err;
    return ended;
  }

  function file(name: string, text: string): string {
    writeFileSync(join(folder, name), text);
    return name;
  }

  const sent = (what: RegExp): string[] => forge.journal.filter((call) => what.test(call));

  const pull = () => ({ GITHUB_EVENT_PATH: file("event.json", '{"pull_request":{"number":7}}') });
  const places: Readonly<Record<string, () => NodeJS.ProcessEnv>> = {
    GitHub: () => ({ ...forge.github(), ...pull() }),
    GitLab: () => forge.gitlab(),
  };

  for (const [name, env] of Object.entries(places)) {
    describe(`on ${name}`, () => {
      const us = name === "GitHub" ? app : { ...app, login: "ops" };

      it("posts a review once, edits it if it has changed, and leaves it otherwise", async () => {
        const comment = (text: string) => run(["comment", "--markdown", file("a.md", text)], env());
        const first = await comment(`${marker}\nNothing changes.\n`);
        assert.equal(first.code, 0, first.err);
        assert.match(first.out, /^Created #100 in /);
        assert.match((await comment(`${marker}\nNothing changes.\n`)).out, /^Unchanged: #100/);
        assert.match((await comment(`${marker}\n1 deleted.\n`)).out, /^Edited #100/);
        assert.deepEqual(
          forge.board.comments.map(({ body }) => body.trim()),
          [`${marker}\n1 deleted.`],
        );
        assert.equal(sent(/^(POST|PATCH|PUT) /).length, 2);
      });

      it("finds its comment on the third page, and does not mistake another stack's comment or a quotation for it", async () => {
        const { comments } = forge.board;
        comments.push({ id: 2, by: us, body: "<!-- page-guard:review production-eu -->\nother stack" });
        comments.push({ id: 3, by: us, body: `see ${marker}` });
        for (let id = 10; id < 230; id += 1) comments.push({ id, by: person, body: `comment ${id}` });
        comments.push({ id: 999, by: us, body: `${marker}\nold` });
        const { code, err } = await run(["comment", "--markdown", file("a.md", `${marker}\nnew`)], env());
        assert.equal(code, 0, err);
        assert.deepEqual(
          comments.filter(({ id }) => id < 10 || id === 999).map(({ body }) => body),
          ["<!-- page-guard:review production-eu -->\nother stack", `see ${marker}`, `${marker}\nnew`],
        );
        assert.equal(sent(/^GET .*[?&]page=/).length, 3);
      });

      it("opens one issue, edits its text and title, closes it, and opens another the next time", async () => {
        const { issues } = forge.board;
        issues.push({ id: 5, by: us, title: "x", body: "x", isOpen: true, isPullRequest: name === "GitHub" });
        const issue = ["issue", "--key", "inventory"];
        const open = (title: string, text: string) =>
          run([...issue, "--title", title, "--file", file("found.txt", text)], env());
        const close = async () => (await run([...issue, "--close"], env())).out;
        assert.match(await close(), /^Nothing to close /);
        const opened = await open("pay: a script changed", "shop: gone: x\n@all ```\n/close\n");
        assert.match(opened.out, /^Created #100 in /, opened.err);
        assert.match((await open("pay: a script changed", "shop: gone: x\n@all ```\n/close\n")).out, /^Unch/);
        assert.match((await open("pay: 2 scripts changed", "y\n")).out, /^Edited #100/);
        assert.match(await close(), /^Closed #100/);
        assert.match((await open("pay: a script is malicious", "z\n")).out, /^Created #102/);
        assert.deepEqual(
          issues.slice(1).map(({ title, isOpen, body }) => [title, isOpen, body]),
          [
            ["pay: 2 scripts changed", false, `${issueMarker}\n\`\`\`text\ny\n\`\`\``],
            ["pay: a script is malicious", true, `${issueMarker}\n\`\`\`text\nz\n\`\`\``],
          ],
        );
        assert.deepEqual(forge.board.carriedOut, []);
      });

      for (const [what, nights] of Object.entries(nightsOfAnIssue))
        it(`comments on an open issue with what is new, and nothing else: ${what}`, async () => {
          for (const [index, [text, news]] of nights.entries()) {
            const path = file("found.md", `${titles[index]}\n\n${text}`);
            const { code, err } = await run(["issue", "--title", "pay: @all", "--file", path], env());
            assert.equal(code, 0, err);
            const comments = forge.board.issues[0]?.talk?.splice(0);
            assert.deepEqual(comments, news ? [`**pay: &#64;&#8203;all**\n\n${news}`] : [], titles[index]);
          }
        });

      it("records a chained line for the report if it notified people, and none otherwise", async () => {
        mkdirSync(join(folder, "runs"), { recursive: true });
        const key = { REPORT_RUNS_KEY: "a key of the tests that is long" };
        const kept = ["--record", "alerts"];
        for (const text of ["a: x", "a: x", "a: x\nb: y", "a: x", undefined]) {
          const args =
            text === undefined ? ["--close"] : ["--title", "pay", "--file", file("found.txt", text)];
          await run(["issue", "--key", "inventory", ...args, ...kept], env());
        }
        const chain = ["report", "--chain", "alerts", "--runs", "runs", "--key-env", "REPORT_RUNS_KEY"];
        assert.equal((await run(chain, key)).code, 0);
        const [name = ""] = readdirSync(join(folder, "runs"));
        const lines = readFileSync(join(folder, "runs", name), "utf8")
          .trim()
          .split("\n");
        const alerts = lines.map((line) => JSON.parse(line).alert);
        const closed = alerts.map(({ reference, closedOn = "" }) => [
          /issues\/100$/.test(reference),
          closedOn.length,
        ]);
        assert.deepEqual(
          closed,
          [true, true, true].map((is, at) => [is, at < 2 ? 0 : 10]),
        );
        const verify = ["report", "--verify", "runs", "--key-env", "REPORT_RUNS_KEY"];
        const verified = await run(verify, { ...env(), ...key });
        assert.equal(verified.code, 0, verified.out);
        // Lines that the command did not write are refused.
        const { after: _, chain: __, ...bare } = JSON.parse(lines[0] ?? "");
        for (const line of [lines[0], JSON.stringify({ ...bare, files: { "report.html": "ab" } })]) {
          writeFileSync(join(folder, "alerts", name), `${line}\n`);
          const refused = await run(chain, key);
          assert.match(refused.err, /lines that page-guard issue did not write/);
        }
        for (const one of ["runs", "alerts"]) rmSync(join(folder, one), { recursive: true });
      });

      it("given our marker in a text of another account, then creates its own text and leaves the other one unchanged", async () => {
        forge.board.comments.push({ id: 1, by: person, body: `${marker}\nforged: approved` });
        forge.board.issues.push({ id: 5, by: person, title: "t", body: `${issueMarker}\nx`, isOpen: true });
        const comment = await run(["comment", "--markdown", file("a.md", `${marker}\nnew`)], env());
        const issue = await run(["issue", "--key", "inventory", "--title", "t", "--file", "a.md"], env());
        for (const { code, out } of [comment, issue]) {
          assert.equal(code, 0);
          assert.match(out, /^Created #/);
        }
        const close = await run(["issue", "--key", "inventory", "--close"], env());
        assert.match(close.out, /^Closed #/);
        assert.equal(forge.board.issues.find(({ id }) => id === 5)?.isOpen, true);
        assert.match((await run(["comment", "--markdown", "a.md"], env())).out, /^Unchanged: #/);
        const ours = await run(["comment", "--author", "mallory", "--markdown", "a.md"], env());
        assert.match(ours.out, /^Edited #1/);
      });

      it("sends a write once, and after a lost response the next run finds what was created", async () => {
        const where = /POST .*(comments|notes)/;
        const comment = ["comment", "--markdown", file("a.md", `${marker}\nreview`)];
        forge.next(where, "lost", { status: 502 });
        const lost = await run(comment, env());
        assert.equal(lost.code, 1);
        assert.match(lost.err, /Failed to POST \S+ at 127\.0\.0\.1:\d+: .*Run the job again\./);
        assert.match((await run(comment, env())).out, /^Unchanged: #100/);
        assert.equal(forge.board.comments.length, 1);
      });

      it("explains a refusal, and removes commands for terminals and CIs from it", async () => {
        const comment = ["comment", "--markdown", file("a.md", `${marker}\nx`)];
        const wrong = await run([...comment, "--number", "8"], env());
        assert.equal(wrong.code, 1);
        assert.match(wrong.err, /responded with 404 .*has no such (pull|merge) request/);
        const read = { ...env(), ...(name === "GitHub" ? forge.github("read") : forge.gitlab("read")) };
        const refused = await run(comment, read);
        assert.equal(refused.code, 1);
        assert.match(refused.err, /responded with 403 .*(pull-requests: write|scope api)/);
        const expired = "ghs_expired-token-of-no-use";
        const old = await run(comment, { ...env(), GITHUB_TOKEN: expired, GITLAB_TOKEN: expired });
        assert.match(old.err, /TOKEN is invalid or expired/);
        const message = `\u001b[2J::error::x ${env()["GITHUB_TOKEN"] ?? env()["GITLAB_TOKEN"]}`;
        forge.next(/POST/, { status: 403, json: { message } });
        const hostile = await run(comment, env());
        assert.match(hostile.err, /\[token\]/);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for it
        assert.doesNotMatch(hostile.err, /\u001b|^::error/m);
        forge.next(/GET .*(comments|notes)/, { status: 403, json: { message: "API rate limit exceeded" } });
        assert.match((await run(comment, env())).err, /\(API rate limit exceeded\)\. Run the job again/);
        for (const json of [
          { message: { body: ["is too long"] } },
          { message: "Validation Failed", errors: [{ field: "body", code: "is too long" }] },
        ]) {
          forge.next(/POST/, { status: 422, json });
          const { err } = await run(comment, env());
          assert.match(err, /responded with 422 \(.*"is too long".*\)\. Read this response/);
        }
        assert.equal(forge.board.comments.length, 0);
      });
    });
  }

  it("says how to switch on issues where GitHub refuses them", async () => {
    forge.next(/GET/, { status: 410, json: { message: "Issues are disabled for this repo" } });
    const { err } = await run(["issue", "--key", "a", "--close"], forge.github());
    assert.match(
      err,
      /responded with 410 \(Issues are disabled .*\)\. Switch on issues in the settings of shop/,
    );
  });

  it("escapes lines that GitLab would execute as commands", async () => {
    const text = `${marker}\n/merge\n  /approve now\nand/or\n/assign me\n`;
    await run(["comment", "--markdown", file("a.md", text)], forge.gitlab());
    assert.deepEqual(forge.board.carriedOut, []);
    assert.match(forge.board.comments[0]?.body ?? "", /&#47;merge\n&#47;approve now\nand\/or\n&#47;assign/);
  });

  it("cuts a text that is too long for the forge at the end of a line, and counts the lines that it leaves out", async () => {
    const long = `${marker}\n${"a long line of a review\n".repeat(4000)}`;
    const env = forge.github();
    assert.equal((await run(["comment", "--markdown", file("a.md", long), "--number", "7"], env)).code, 0);
    const body = forge.board.comments[0]?.body ?? "";
    assert.ok(body.length < 65_000);
    assert.match(body, /review\n\n\(\d{4} more lines are left out\.\)$/);
    const other = marker.replace("production", "staging");
    const almost = file("b.md", `${other}\n${"a".repeat(60_000)}\n${"b".repeat(10_000)}`);
    assert.equal((await run(["comment", "--markdown", almost, "--number", "7"], env)).code, 0);
    assert.match(forge.board.comments[1]?.body ?? "", /a\n\n\(1 more line is left out\.\)$/);
    const code = file("a.txt", "```` \n".repeat(20_000));
    assert.equal((await run(["issue", "--title", "t", "--file", code], env)).code, 0);
    const body2 = forge.board.issues[0]?.body ?? "";
    assert.match(body2, /^<!-- page-guard:issue t -->\n`{5}text\n[\s\S]*\n\n\(\d+ more lines .*\.\)\n`{5}$/);
  });

  it("tells once what is new in a line for which an issue has no room", async () => {
    const long = "x".repeat(200);
    const rows = Array.from(
      { length: 500 },
      (_, at) => `| error | \`https://a.example/${at}.js\` | ${long} |`,
    );
    const night = async (...more: readonly string[]) => {
      const table = `### a\n\n| | Script |\n| --- | --- |\n${[...rows, ...more].join("\n")}`;
      const path = file("a.md", `## a: 500 scripts\n\n${table}\n`);
      const args = ["issue", "--key", "inventory", "--title", "t", "--file", path];
      assert.equal((await run(args, forge.github())).code, 0);
      const [issue] = forge.board.issues;
      assert.ok((issue?.body.length ?? 0) < 65_000);
      return issue?.talk?.splice(0) ?? [];
    };
    const skimmer = "| error | `https://evil.example/s.js` |";
    await night();
    assert.deepEqual(await night(), []);
    const [comment = "", ...others] = await night(skimmer);
    assert.deepEqual([comment.split("\n").slice(-1), others], [[skimmer], []]);
    assert.deepEqual(await night(skimmer), []);
  });

  it("given Markdown and no --title, then the title of the issue is the heading, as plain text, and cut if it is too long", async () => {
    const heading = `www&#46;&#8203;shop \\[a\\] &lt;b&gt; &amp;amp;: ${"off ".repeat(60)}`;
    const path = file("a.md", `<!-- x -->\n## ${heading}\n\n- x\n`);
    const { code, err } = await run(["issue", "--key", "urgent", "--file", path], forge.github());
    assert.equal(code, 0, err);
    const title = forge.board.issues.at(-1)?.title ?? "";
    assert.ok(title.startsWith("www.shop [a] <b> &amp;: off off") && title.length <= 200, title);
  });

  it("says what is missing before it sends a request", async () => {
    const review = ["comment", "--markdown", file("a.md", `${marker}\nx`)];
    const cases: [readonly string[], NodeJS.ProcessEnv, RegExp][] = [
      [review, {}, /neither a GitHub nor a GitLab job/],
      [review, { GITHUB_ACTIONS: "true" }, /GITHUB_REPOSITORY is not set/],
      [review, { ...forge.github(), GITHUB_REPOSITORY: "http://x" }, /Y is malformed\. Set it to owner/],
      [review, { ...forge.github(), GITHUB_TOKEN: "" }, /GITHUB_TOKEN is not set/],
      [review, { ...forge.github(), GITHUB_TOKEN: "two\nlines" }, /GITHUB_TOKEN is malformed/],
      [review, forge.github(), /does not belong to a pull or merge request/],
      [review, { ...forge.github(), GITHUB_EVENT_PATH: "none.json" }, /Failed to read none\.json/],
      [
        [...review, "--number", "7"],
        { ...forge.github(), GITHUB_API_URL: "http://api.example.com" },
        /API URL of GitHub in the environment is not an https URL/,
      ],
      [review, { ...forge.gitlab(), GITLAB_TOKEN: "" }, /GITLAB_TOKEN is not set/],
      [review, { ...forge.gitlab(), CI_PROJECT_ID: "" }, /CI_PROJECT_ID is not set/],
      [review, { ...forge.gitlab(), CI_MERGE_REQUEST_IID: "" }, /does not belong to a pull or merge request/],
      [
        ["comment", "--markdown", file("b.md", "no marker")],
        forge.github(),
        /first line is not <!-- page-guard/,
      ],
      [["comment", "--markdown", "none.md"], forge.github(), /Failed to read none\.md/],
      [["issue", "--title", "\u200b ", "--close"], forge.github(), /at least one visible character/],
      [["issue", "--key", "", "--close"], forge.github(), /key must be one line/],
      [["issue", "--title", "a"], forge.github(), /Give either --file FILE/],
      [["issue", "--key", "a", "--file", "a.md"], forge.github(), /--file needs --title/],
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
