import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ci, lockOf, manifest, type Ran } from "./support/ci";
import { type Event, runGithubJob } from "./support/github-job";
import { runGitlabJob } from "./support/gitlab-job";

const zoneId = "8f14e45fceea167a5a36dedd4bea2543";
/** A zone with the previous WAF. */
const oldZone = "c9f0f895fb98ab9159f51fd0297e236d";

const program = (scripts: string, more = "") => `
const pulumi = require("@pulumi/pulumi");
const { CspPolicy, PageGuardSettings, WafMigration } = require("pulumi-page-guard");

const config = new pulumi.Config();
const zoneId = config.require("zoneId");
new PageGuardSettings("watch", { zoneId, enabled: true });
new CspPolicy("checkout", {
  zoneId,
  description: "checkout",
  action: "log",
  expression: \`http.host eq "\${config.require("host")}"\`,
  value: "script-src 'self' ${scripts}; object-src 'none'; base-uri 'self'",
});
${more}
`;
const payments = program("https://js.payments.example");

/** The reviewers of a GitHub environment whose jobs need an approval. */
const reviewers = [{ type: "User", reviewer: { login: "bob" } }];
const guarded = {
  can_admins_bypass: false,
  protection_rules: [{ type: "required_reviewers", prevent_self_review: true, reviewers }],
  deployment_branch_policy: { protected_branches: true },
};

describe("On the engine: examples/pipelines, line by line", () => {
  let ci: Ci;
  let sim: Ci["sim"];
  let forge: Ci["forge"];

  before(async () => {
    ci = await Ci.begin([zoneId]);
    ({ sim, forge } = ci);
    sim.zones.seed(oldZone, { waf: { firewallRules: 1, owasp: true } });
    await ci.ann("stack", "init", "production");
    const settings = [
      ...["--plaintext", `page-guard:baseUrl=${sim.url}`],
      ...["--plaintext", `zoneId=${zoneId}`],
      ...["--secret", "host=shop.example.com"],
    ];
    await ci.ann("config", "set-all", "--stack", "production", ...settings);
    ci.commit(payments);
    ci.push();
  });

  after(() => ci?.end());

  beforeEach(() => {
    forge.board.environments["production"] = guarded;
  });

  afterEach("check that no token was shown, and that no job exceeded the rights of its key", function () {
    ci.judge(this);
  });

  const job = (name: string, jobName: string, event: Event = {}): Promise<Ran> =>
    runGithubJob(ci, name, jobName, event);

  it("after a merge: given a plan, when a colleague edits the zone, then apply changes nothing and exits with 2; otherwise it applies the plan", async () => {
    const plan = await job("apply", "plan");
    assert.equal(plan.code, 0, plan.output);
    assert.match(plan.summary, /jobs of production wait for a reviewer/);
    assert.match(plan.summary, /checkout/);
    const added = sim.dashboard.putPolicy(zoneId, { description: "Landing page", expression: "true" });
    const refused = await job("apply", "apply");
    assert.equal(refused.code, 2, refused.output);
    assert.match(refused.output, /Landing page/);
    assert.deepEqual(sim.changing(), []);
    sim.dashboard.deletePolicy(zoneId, added.id);
    const applied = await job("apply", "apply");
    assert.equal(applied.code, 0, applied.output);
    const { policies, settings } = sim.zone(zoneId);
    assert.deepEqual(
      [policies.map(({ description }) => description), settings.enabled],
      [["checkout"], true],
    );
  });

  it("given a run that is started again or on another branch, then nothing is planned or applied; a new run plans the newest commit and writes its undo program", async () => {
    ci.commit(program("https://js.payments.example https://pay.example"));
    ci.push();
    for (const name of ["plan", "apply"])
      assert.equal((await job("apply", name, { name: "workflow_dispatch", attempt: 2 })).code, undefined);
    for (const ref of ["refs/heads/chat", "refs/tags/main"]) {
      const elsewhere: Event = { name: "workflow_dispatch", ref };
      assert.equal((await job("apply", "plan", elsewhere)).code, undefined, ref);
      assert.equal((await job("apply", "apply", elsewhere)).code, undefined, ref);
    }
    const newest: Event = { name: "workflow_dispatch" };
    assert.equal((await job("apply", "plan", newest)).code, 0);
    const kept = join(ci.folder, "kept");
    assert.ok(ci.fetch("review", kept));
    assert.ok(existsSync(join(kept, "review.html")));
    assert.match(
      readFileSync(join(kept, "undo/UNDO.md"), "utf8"),
      /\| deleted policies, changed settings and WAF rules \| overwritten policies \|/,
    );
    const before = readFileSync(join(kept, "undo/import.json"), "utf8");
    assert.match(before, /https:\/\/js\.payments\.example/);
    assert.doesNotMatch(before, /https:\/\/pay\.example/);
    ci.commit(payments);
    ci.push();
  });

  it("in a pull request: given several pushes, then one comment is edited, also when the preview or the type check fails", async () => {
    ci.git(ci.desk, "switch", "--quiet", "--create", "chat");
    ci.commit(program("https://js.payments.example https://widgets.chat.example"));
    ci.push("chat");
    const [first, posted] = await runPull(ownPull);
    assert.equal(first.code, 0, first.output);
    assert.equal(posted.code, 0, posted.output);
    assert.match(comment(), /^<!-- page-guard:review production -->\n/);
    assert.match(comment(), /widgets\.chat\.example/);
    assert.match(first.summary, /widgets\.chat\.example/);
    assert.equal((await job("pull-request", "fork", ownPull)).code, undefined);
    const ofGithub = comment();
    const posts = forge.board.comments.splice(0);
    assert.equal((await runGitlabJob(ci, "preview", "chat")).code, 0, ci.said);
    assert.equal((await runGitlabJob(ci, "comment", "chat")).code, 0, ci.said);
    assert.equal(comment(), ofGithub);
    forge.board.comments.splice(0, 1, ...posts);

    ci.commit(payments.replace('action: "log"', 'action: "block"'));
    ci.push("chat");
    const [failing] = await runPull(ownPull);
    assert.notEqual(failing.code, 0);
    assert.match(comment(), /\*\*CspPolicy checkout\*\* \(`index\.js:8`\): .*one of/);
    assert.doesNotMatch(comment(), /widgets\.chat\.example/);

    const check = "node -e \"console.log('index.ts: wrong type'); process.exit(3)\"";
    writeFileSync(join(ci.desk, "package.json"), JSON.stringify({ ...manifest, scripts: { check } }));
    ci.commit(program("https://types.example"));
    ci.push("chat");
    const [unchecked] = await runPull(ownPull);
    assert.equal(unchecked.code, 3, unchecked.output);
    assert.match(unchecked.output, /index\.ts: wrong type/);
    assert.match(comment(), /types\.example/);
    assert.equal(forge.board.comments.length, 1);
    ci.git(ci.desk, "switch", "--quiet", "main");
  });

  it("in a pull request from a fork or Dependabot: given no secrets, then the preview shows all resources as created, without a request or a comment", async () => {
    const fork = join(ci.folder, "fork.git");
    ci.git(ci.folder, "clone", "--quiet", "--bare", ci.remote, fork);
    const stranger = ci.clone(fork);
    writeFileSync(join(stranger, "index.js"), program("https://js.fork.example"));
    ci.git(stranger, "commit", "--quiet", "--all", "--message", "A stranger's change");
    ci.git(stranger, "push", "--quiet", "origin", "main");
    const pull: Event = {
      merge: { remote: fork, branch: "main" },
      payload: pullRequest("stranger/infra", "stranger"),
    };
    const before = forge.journal.length;
    const ran = await job("pull-request", "fork", pull);
    assert.equal(ran.code, 0, ran.output);
    assert.match(ran.summary, /From a fork: previewed without token and state/);
    assert.match(ran.summary, /checkout/);
    const ofDependabot: Event = { ...ownPull, payload: pullRequest("shop/infra", "dependabot[bot]") };
    for (const stranded of [pull, ofDependabot]) {
      const codes = (await runPull(stranded)).map(({ code }) => code);
      assert.deepEqual(codes, [undefined, undefined]);
    }
    assert.notEqual((await job("pull-request", "fork", ofDependabot)).code, undefined);
    assert.equal(forge.journal.length, before);
  });

  it("in a pull request: given POLICY_PACK, then the packages of the pack are installed, and the comment shows its violation", async () => {
    const pack = join(ci.desk, "policy-pack");
    const words = join(pack, "words");
    mkdirSync(words, { recursive: true });
    writeFileSync(join(words, "package.json"), '{ "name": "words", "version": "1.0.0", "main": "words.js" }');
    writeFileSync(join(words, "words.js"), 'exports.message = "No host of others in checkout";\n');
    writeFileSync(join(pack, "PulumiPolicy.yaml"), "runtime: nodejs\n");
    const packed = {
      name: "pack",
      version: "1.0.0",
      main: "index.js",
      dependencies: { words: "file:words" },
    };
    writeFileSync(join(pack, "package.json"), JSON.stringify(packed));
    const link = { "node_modules/words": { resolved: "words", link: true }, words: { version: "1.0.0" } };
    writeFileSync(join(pack, "package-lock.json"), lockOf({ "": packed, ...link }));
    writeFileSync(
      join(pack, "index.js"),
      `const { PolicyPack } = require("@pulumi/policy");
const { message } = require("words");
const validateResource = ({ type }, report) => { if (type.endsWith(":CspPolicy")) report(message); };
new PolicyPack("pack", { policies: [{ name: "hosts", description: "Hosts", enforcementLevel: "mandatory", validateResource }] });
`,
    );
    ci.commit(program("https://packed.example"));
    ci.push("packed");
    const env = { POLICY_PACK: "policy-pack" };
    const merge = { remote: ci.remote, branch: "packed" };
    const [violated] = await runPull({ ...ownPull, merge, env });
    assert.notEqual(violated.code, 0);
    assert.match(comment(), /No host of others in checkout/);
    ci.git(ci.desk, "reset", "--quiet", "--hard", "origin/main");
  });

  it("each night: given drift, then an issue is opened, edited and closed", async () => {
    const runNight = (): Promise<Ran> => job("drift", "drift");
    const listIssues = (): string[] =>
      forge.board.issues.map(({ title, isOpen }) => `${isOpen ? "open" : "closed"}: ${title}`);
    // test/command/forge.test.ts tests a night without drift.
    sim.dashboard.putPolicy(zoneId, { description: "Landing page", expression: "true" });
    assert.equal((await runNight()).code, 0);
    assert.deepEqual(listIssues(), ["open: Drift in production"]);
    assert.match(forge.board.issues[0]?.body ?? "", /never declared: policy "Landing page"/);
    sim.dashboard.putPolicy(zoneId, { description: "Another one", expression: "true" });
    assert.equal((await runNight()).code, 0);
    assert.match(forge.board.issues[0]?.body ?? "", /Another one/);
    assert.equal(forge.board.issues.length, 1);
    for (const { id, description } of sim.zone(zoneId).policies) {
      if (description !== "checkout") sim.dashboard.deletePolicy(zoneId, id);
    }
    assert.equal((await runNight()).code, 0);
    assert.deepEqual(listIssues(), ["closed: Drift in production"]);
  });

  it("each night: given drift, when somebody starts apply with refresh, then the drift is undone; when a zone cannot be read, then the issue says so", async () => {
    const issue = () => forge.board.issues.at(-1);
    const live = () => sim.zone(zoneId).policies[0];
    const declared = live() ?? assert.fail();
    sim.dashboard.putPolicy(zoneId, { ...declared, value: "script-src *" });
    assert.equal((await job("drift", "drift")).code, 0);
    assert.match(issue()?.body ?? "", /script-src[\s\S]*Put it back\*\*: start `apply` by hand with its/);
    sim.faults.add({ method: "GET", path: "/policies", kind: "status", status: 403 });
    assert.notEqual((await job("drift", "drift")).code, 0);
    sim.faults.clear();
    assert.deepEqual(
      [issue()?.isOpen, issue()?.title],
      [true, "production: not all zones could be compared"],
    );
    const refresh: Event = { name: "workflow_dispatch", inputs: { refresh: "true" } };
    const plan = await job("apply", "plan", refresh);
    assert.equal(plan.code, 0, plan.output);
    assert.match(plan.summary, /script-src \*/);
    const applied = await job("apply", "apply", refresh);
    assert.equal(applied.code, 0, applied.output);
    assert.equal(live()?.value, declared.value);
    assert.equal((await job("drift", "drift")).code, 0);
    assert.equal(issue()?.isOpen, false);
  });

  it("on GitLab: given a token per job, then gate, plan, apply and drift work as on GitHub; without changes, apply changes nothing", async () => {
    const runs = async (name: string, more: NodeJS.ProcessEnv = {}): Promise<string> => {
      const { code, output } = await runGitlabJob(ci, name, "main", more);
      assert.equal(code, 0, output);
      return output;
    };
    ci.commit(program("https://js.gitlab.example"));
    ci.push();
    delete forge.board.environments["production"];
    const unprotected = await runGitlabJob(ci, "gate");
    assert.equal(unprotected.code, 2, unprotected.output);
    forge.board.environments["production"] = {
      deploy_access_levels: [{ access_level: 40, access_level_description: "Maintainers" }],
      approval_rules: [{ required_approvals: 1 }],
    };
    assert.match(await runs("gate"), /jobs of production can be started only by people who may deploy to it/);
    await runs("plan");
    await runs("apply");
    assert.match(sim.zone(zoneId).policies[0]?.value ?? "", /js\.gitlab\.example/);
    const changes = sim.changing().length;
    assert.match(await runs("plan"), /Nothing to do: leave the job apply as it is\.\n$/);
    assert.match(await runs("apply"), /nothing to do; 1 zone checked/);
    assert.equal(sim.changing().length, changes);
    sim.dashboard.putPolicy(zoneId, { description: "By night", expression: "true" });
    await runs("drift");
    await runs("issue");
    assert.match(forge.board.issues.at(-1)?.body ?? "", /By night/);
  });

  it("given an environment without reviewers, then plan exits with 2; with PAGE_GUARD_ALLOW_UNREVIEWED each summary says so, and a migration needs the stack's name; without changes, apply is skipped unless somebody starts it by hand", async () => {
    forge.board.environments["production"] = {};
    const refused = await job("apply", "plan");
    assert.equal(refused.code, 2, refused.output);
    assert.match(refused.summary, /^ {4}STOPS {4}approval: jobs of production can start without anybody/);
    assert.equal((await job("apply", "apply")).code, undefined);

    const declareStage = (stage: string): void => {
      ci.commit(
        program(
          "https://js.gitlab.example",
          `const { ManagedWafEntrypoint } = require("pulumi-page-guard");
const move = new WafMigration("move", { zoneId: "${oldZone}", stage: "${stage}", confirm: "${oldZone}" });
new ManagedWafEntrypoint("rules", { zoneId: "${oldZone}", rules: move.configuration.rules });`,
        ),
      );
      ci.push();
    };
    declareStage("validation");
    const vars = { PAGE_GUARD_ALLOW_UNREVIEWED: "1" };
    const plan = await job("apply", "plan", { vars });
    assert.equal(plan.code, 0, plan.output);
    assert.match(plan.summary, /PAGE_GUARD_ALLOW_UNREVIEWED is set/);
    // apply checks the reviewers again: they may have changed since the plan.
    assert.equal((await job("apply", "apply")).code, 2);
    const waiting = await job("apply", "apply", { vars });
    assert.equal(waiting.code, 2, waiting.output);
    assert.match(waiting.summary, /PAGE_GUARD_ALLOW_UNREVIEWED is set/);
    assert.match(waiting.output, /--allow unreviewed-migration=production/);
    const allowed: Event = { vars, inputs: { "unreviewed-migration": "production" } };
    const stage = () => [sim.zone(oldZone).waf.stage, sim.zone(oldZone).waf.acceptedPending];
    assert.deepEqual(stage(), ["old", 0]);
    const expectApplied = async (): Promise<void> => {
      // The rules are unknown in the plan, but need no --allow: they come from the migration.
      const applied = await job("apply", "apply", allowed);
      assert.equal(applied.code, 0, applied.output);
    };
    await expectApplied();
    assert.deepEqual(stage(), ["validation", 0]);
    declareStage("finished");
    const finish = await job("apply", "plan", { vars });
    assert.equal(finish.code, 0, finish.output);
    assert.match(finish.summary, /cannot be undone/);
    await expectApplied();
    assert.deepEqual(stage(), ["new", 1]);
    const again = await job("apply", "plan", { vars });
    assert.equal(again.code, 0, again.output);
    assert.match(again.output, /^Nothing to do: leave the job apply as it is\.$/m);
    assert.equal((await job("apply", "apply", { vars })).code, undefined);
    const byHand = await job("apply", "apply", { vars, name: "workflow_dispatch" });
    assert.equal(byHand.code, 0, byHand.output);
    assert.match(byHand.output, /nothing to do/);
  });

  const pullRequest = (from: string, login: string) => ({
    pull_request: { number: 7, head: { repo: { full_name: from } }, user: { login } },
  });

  const ownPull: Event = {
    get merge() {
      return { remote: ci.remote, branch: "chat" };
    },
    payload: pullRequest("shop/infra", "ann"),
  };

  /** Runs both jobs of a pull request, one after the other. */
  async function runPull(event: Event): Promise<readonly [Ran, Ran]> {
    const preview = await job("pull-request", "preview", event);
    return [preview, await job("pull-request", "comment", event)];
  }

  function comment(): string {
    assert.equal(forge.board.comments.length, 1);
    return forge.board.comments[0]?.body ?? "";
  }
});
