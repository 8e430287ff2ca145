import assert from "node:assert/strict";
import { Ci } from "./support/ci";
import { type Event, runGithubJob } from "./support/github-job";
import { runGitlabJob } from "./support/gitlab-job";

const zones = {
  "shop-test": "8f14e45fceea167a5a36dedd4bea2543",
  "shop-de": "c9f0f895fb98ab9159f51fd0297e236d",
};

const program = (host: string) => `
const pulumi = require("@pulumi/pulumi");
const { CspPolicy } = require("pulumi-page-guard");
new CspPolicy("checkout", {
  zoneId: ${JSON.stringify(zones)}[pulumi.getStack()],
  description: "checkout",
  action: "log",
  expression: "true",
  value: "script-src 'self' https://${host}",
});
`;

describe("On the engine: examples/fleet/pipelines, line by line", () => {
  let ci: Ci;
  let sim: Ci["sim"];
  let forge: Ci["forge"];

  before(async () => {
    const lines = Object.entries(zones).map(
      ([name, id], at) => `- { id: "${id}", name: ${name}, wave: ${at + 1} }\n`,
    );
    ci = await Ci.begin(Object.values(zones), { "zones.yaml": lines.join("") });
    ({ sim, forge } = ci);
    for (const name of Object.keys(zones)) {
      await ci.ann("stack", "init", name, "--no-select");
      await ci.ann("config", "set", "page-guard:baseUrl", sim.url, "--stack", name);
    }
    push("main", "js.payments.example");
  });

  after(() => ci?.end());

  afterEach("check that no token was shown, and that no job exceeded the rights of its key", function () {
    ci.judge(this);
  });

  const policies = () =>
    Object.values(zones).map((id) => sim.zone(id).policies.map(({ value }) => /https:\S+/.exec(value)?.[0]));
  const listIssues = () =>
    forge.board.issues.map(({ title, isOpen }) => `${isOpen ? "open" : "closed"}: ${title}`);

  it("on GitHub: given two zones, then a pull request gets one comment, one approval is applied wave by wave, and drift opens one issue", async () => {
    const job = async (name: string, jobName: string, expected: number, event: Event = {}) => {
      const { code, output } = await runGithubJob(ci, `fleet/${name}`, jobName, event);
      assert.equal(code, expected, output);
      return output;
    };
    const from = { head: { repo: { full_name: "shop/infra" } }, user: { login: "ann" } };
    const payload = { pull_request: { number: 7, ...from } };
    const pull: Event = { merge: { remote: ci.remote, branch: "main" }, payload };
    await job("pull-request", "preview", 0, pull);
    await job("pull-request", "comment", 0, pull);
    assert.equal(forge.board.comments.length, 1);
    const comment = forge.board.comments[0]?.body ?? "";
    assert.match(comment, /2 zones: 2 to change \(2 policies\)[\s\S]*the same in 2 zones/);

    assert.match(await job("apply", "plan", 2), /no protected environment production is visible/);
    const reviewers = [{ type: "User" }];
    forge.board.environments["production"] = {
      can_admins_bypass: false,
      protection_rules: [{ type: "required_reviewers", prevent_self_review: true, reviewers }],
      deployment_branch_policy: { protected_branches: true },
    };
    await job("apply", "plan", 0);
    assert.deepEqual(policies(), [[], []]);
    assert.match(await job("apply", "apply", 0), /shop-test +1 +ok +applied\nshop-de +2 +ok +applied/);
    assert.deepEqual(policies(), [["https://js.payments.example"], ["https://js.payments.example"]]);

    await job("drift", "drift", 0);
    assert.deepEqual(listIssues(), []);
    const { id } = sim.dashboard.putPolicy(zones["shop-de"], { description: "By night", expression: "true" });
    await job("drift", "drift", 2);
    assert.deepEqual(listIssues(), ["open: Zones differ from their stacks"]);
    assert.match(forge.board.issues[0]?.body ?? "", /By night/);
    sim.dashboard.deletePolicy(zones["shop-de"], id);
    await job("drift", "drift", 0);
    assert.deepEqual(listIssues(), ["closed: Zones differ from their stacks"]);
  });

  it("on GitLab: given two zones, then a merge request gets one comment, one plan is applied wave by wave, and drift opens one issue", async () => {
    const job = async (name: string, expected = 0, branch = "main"): Promise<string> => {
      const { code, output } = await runGitlabJob(ci, name, branch, {}, "fleet");
      assert.equal(code, expected, output);
      return output;
    };
    push("chat", "js.gitlab.example");
    forge.board.comments.length = 0;
    forge.board.issues.length = 0;
    await job("preview", 0, "chat");
    await job("comment", 0, "chat");
    assert.equal(forge.board.comments.length, 1);
    assert.match(forge.board.comments[0]?.body ?? "", /2 zones: 2 to change \(2 policies\)/);
    push("main", "js.gitlab.example");
    await job("plan");
    assert.match(await job("apply"), /shop-test +1 +ok +applied\nshop-de +2 +ok +applied/);
    assert.deepEqual(policies(), [["https://js.gitlab.example"], ["https://js.gitlab.example"]]);
    sim.dashboard.putPolicy(zones["shop-de"], { description: "By night", expression: "true" });
    await job("drift", 2);
    await job("drift is there");
    assert.match(forge.board.issues[0]?.body ?? "", /By night/);
    await job("drift is over");
    assert.deepEqual(listIssues(), ["closed: Zones differ from their stacks"]);
  });

  function push(branch: string, host: string): void {
    ci.commit(program(host));
    ci.push(branch);
  }
});
