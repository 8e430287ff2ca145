import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Simulator, startSimulator } from "../../provider/src/simulator";
import { type ForgeServer, startForge } from "../forge/forge-server";
import { engine, newPlace, runPulumi } from "../real-engine/engine";
import { Ci, type Event, type Ran } from "./support/ci";

const pipelines = resolve(__dirname, "../../examples/pipelines");
const zoneId = "8f14e45fceea167a5a36dedd4bea2543";

const program = (scripts: string, description = "checkout") => `
const pulumi = require("@pulumi/pulumi");
const { CspPolicy, PageGuardSettings } = require("pulumi-page-guard");

const config = new pulumi.Config();
const zoneId = config.require("zoneId");
new PageGuardSettings("watch", { zoneId, enabled: true });
new CspPolicy("checkout", {
  zoneId,
  description: ${JSON.stringify(description)},
  action: "log",
  expression: \`http.host eq "\${config.require("host")}"\`,
  value: "script-src 'self' ${scripts}; object-src 'none'; base-uri 'self'",
});
`;

describe("On the engine: examples/pipelines, line by line", () => {
  let sim: Simulator;
  let forge: ForgeServer;
  let ci: Ci;
  /** Ann's clone. */
  let desk: string;

  before(async () => {
    await engine();
    sim = await startSimulator();
    sim.zones.seed(zoneId, { scripts: 0, connections: 0, cookies: 0 });
    forge = await startForge();
    ci = new Ci(await newPlace(), sim, forge);
    desk = ci.clone();
    writeFileSync(join(desk, "Pulumi.yaml"), "name: shop\nmain: index.js\nruntime: nodejs\n");
    const manifest = { name: "shop", version: "1.0.0", private: true };
    writeFileSync(join(desk, "package.json"), JSON.stringify(manifest));
    const lock = { ...manifest, lockfileVersion: 3, requires: true, packages: { "": manifest } };
    writeFileSync(join(desk, "package-lock.json"), JSON.stringify(lock));
    writeFileSync(join(desk, ".gitignore"), "node_modules\n");
    cpSync(join(pipelines, "shell"), join(desk, "pipelines"), { recursive: true });
    mkdirSync(join(desk, ".github"));
    cpSync(join(pipelines, "github"), join(desk, ".github/workflows"), { recursive: true });
    await ann("stack", "init", "production");
    const settings = [
      ...["--plaintext", `page-guard:baseUrl=${sim.url}`],
      ...["--plaintext", `zoneId=${zoneId}`],
      ...["--secret", "host=shop.example.com"],
    ];
    await ann("config", "set-all", "--stack", "production", ...settings);
    commit(program("https://js.payments.example"));
    push("main");
  });

  after(async () => {
    await sim?.stop();
    await forge?.stop();
    if (ci) rmSync(ci.place.folder, { recursive: true, force: true });
  });

  afterEach("no token was shown", function () {
    for (const token of ci.hidden) assert.ok(!ci.said.includes(token), "a token was shown");
    if (this.currentTest?.state === "failed") process.stderr.write(ci.said);
    ci.said = "";
  });

  it("after a merge: shows what will be done; when a colleague edits the zone between plan and apply: nothing is changed, exit 2; else does that", async () => {
    const plan = await ci.job("apply", "plan");
    assert.equal(plan.code, 0, plan.output);
    assert.match(plan.summary, /checkout/);
    const added = sim.dashboard.putPolicy(zoneId, { description: "Landing page", expression: "true" });
    const refused = await ci.job("apply", "apply");
    assert.equal(refused.code, 2, refused.output);
    assert.match(refused.output, /Landing page/);
    assert.deepEqual(sim.changing(), []);
    sim.dashboard.deletePolicy(zoneId, added.id);
    const applied = await ci.job("apply", "apply");
    assert.equal(applied.code, 0, applied.output);
    assert.deepEqual(
      sim.zone(zoneId).policies.map(({ description }) => description),
      ["checkout"],
    );
    assert.equal(sim.zone(zoneId).settings.enabled, true);
  });

  it("in a pull request: one comment, edited with each push, also when the preview fails", async () => {
    ci.git(desk, "switch", "--quiet", "--create", "chat");
    commit(program("https://js.payments.example https://widgets.chat.example"));
    push("chat");
    const first = await ci.job("pull-request", "preview", ownPull);
    assert.equal(first.code, 0, first.output);
    assert.match(comment(), /^<!-- page-guard:review production -->\n/);
    assert.match(comment(), /widgets\.chat\.example/);
    assert.match(first.summary, /widgets\.chat\.example/);
    assert.equal((await ci.job("pull-request-from-fork", "preview", ownPull)).code, undefined);
    const ofGithub = comment();
    assert.equal(await ci.gitlab("preview", "chat"), 0, ci.said);
    assert.equal(comment(), ofGithub);

    commit(program("https://js.payments.example", "checkout").replace('action: "log"', 'action: "block"'));
    push("chat");
    const failing = await ci.job("pull-request", "preview", ownPull);
    assert.notEqual(failing.code, 0);
    assert.match(comment(), /one of/);
    assert.doesNotMatch(comment(), /widgets\.chat\.example/);
    assert.equal(forge.board.comments.length, 1);
    ci.git(desk, "switch", "--quiet", "main");
  });

  it("in a pull request from a fork: no secret, no request, no comment; everything is shown as created", async () => {
    const fork = join(ci.folder, "fork.git");
    ci.git(ci.folder, "clone", "--quiet", "--bare", ci.remote, fork);
    const stranger = ci.clone(fork);
    writeFileSync(join(stranger, "index.js"), program("https://js.fork.example"));
    ci.git(stranger, "commit", "--quiet", "--all", "--message", "A stranger's change");
    ci.git(stranger, "push", "--quiet", "origin", "main");
    const pull: Event = {
      merge: { remote: fork, branch: "main" },
      payload: { pull_request: { number: 7, head: { repo: { full_name: "stranger/infra" } } } },
    };
    const before = forge.journal.length;
    const ran = await ci.job("pull-request-from-fork", "preview", pull);
    assert.equal(ran.code, 0, ran.output);
    assert.match(ran.summary, /From a fork: previewed without token and state/);
    assert.match(ran.summary, /checkout/);
    assert.equal(forge.journal.length, before);
    assert.equal((await ci.job("pull-request", "preview", pull)).code, undefined);
  });

  it("each night: an issue is opened, edited and closed; and one complains when nobody has looked for two days", async () => {
    const night = (): Promise<Ran> => ci.job("drift", "drift");
    const watched = (): string[] =>
      forge.board.issues.map(({ title, isOpen }) => `${isOpen ? "open" : "closed"}: ${title}`);
    // Of a calm night without an issue: test/cli/forge.test.ts.
    const added = sim.dashboard.putPolicy(zoneId, { description: "Landing page", expression: "true" });
    assert.equal((await night()).code, 0);
    assert.deepEqual(watched(), ["open: Drift in production"]);
    assert.match(forge.board.issues[0]?.body ?? "", /never declared: policy "Landing page"/);
    sim.dashboard.putPolicy(zoneId, { description: "Another one", expression: "true" });
    assert.equal((await night()).code, 0);
    assert.match(forge.board.issues[0]?.body ?? "", /Another one/);
    assert.equal(forge.board.issues.length, 1);
    for (const { id, description } of sim.zone(zoneId).policies) {
      if (description !== "checkout") sim.dashboard.deletePolicy(zoneId, id);
    }
    assert.ok(added);
    assert.equal((await night()).code, 0);
    assert.deepEqual(watched(), ["closed: Drift in production"]);

    const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);
    const heartbeat = (): Promise<Ran> => ci.job("drift-heartbeat", "heartbeat");
    forge.board.runs["drift.yml"] = [hoursAgo(50)];
    assert.equal((await heartbeat()).code, 0);
    assert.deepEqual(watched(), ["closed: Drift in production", "open: Nobody looks for drift"]);
    assert.match(forge.board.issues[1]?.body ?? "", /drift\.yml has ended well for the last time at \d{4}-/);
    forge.board.runs["drift.yml"] = [hoursAgo(20)];
    assert.equal((await heartbeat()).code, 0);
    assert.deepEqual(watched(), ["closed: Drift in production", "closed: Nobody looks for drift"]);
  });

  const ownPull: Event = {
    get merge() {
      return { remote: ci.remote, branch: "chat" };
    },
    payload: { pull_request: { number: 7, head: { repo: { full_name: "shop/infra" } } } },
  };

  function comment(): string {
    assert.equal(forge.board.comments.length, 1);
    return forge.board.comments[0]?.body ?? "";
  }

  function commit(text: string): void {
    writeFileSync(join(desk, "index.js"), text);
    ci.git(desk, "add", "--all");
    ci.git(desk, "commit", "--quiet", "--message", "Another program");
  }

  function push(branch: string): void {
    ci.git(desk, "push", "--quiet", "origin", `HEAD:${branch}`);
  }

  async function ann(...args: readonly string[]): Promise<void> {
    const place = { ...ci.place, project: desk };
    const env = { PULUMI_CONFIG_PASSPHRASE: "the passphrase of production" };
    const ended = await runPulumi(place, [...args, "--non-interactive"], env).ended;
    assert.equal(ended.code, 0, ended.output);
  }
});
