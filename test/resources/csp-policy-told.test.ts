import assert from "node:assert/strict";
import { actionFindings, declarationFindings, settingFindings } from "../../provider/src/policies/findings";
import { earliestAllow, loggingSince, reports } from "../../provider/src/policies/log-time";
import { cspPolicy } from "../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../provider/src/resources/csp-policy-set/lifecycle";
import type { Properties } from "../small-engine/checkpoint";
import { policy, quickStory, quietZone, zoneA } from "../small-engine/zones";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const day = 24 * 60 * 60 * 1000;
const now = Date.UTC(2025, 0, 31);
const since = new Date(now - 10 * day).toISOString();

describe("Since when a policy logs", () => {
  const logged = { action: "log", expression: "a", value: "script-src 'self'", loggingSince: since };
  const anew = new Date(now).toISOString();

  it("is kept as long as it says the same or allows more, and starts anew else", () => {
    const from = (more: object) => loggingSince(now, logged, { ...logged, ...more });
    assert.equal(from({}), since);
    assert.equal(from({ expression: " a ", enabled: true }), since);
    assert.equal(from({ value: "script-src 'self' https://js.example.com" }), since);
    assert.equal(from({ value: "script-src 'none'" }), anew);
    assert.equal(from({ expression: "b" }), anew);
    assert.equal(loggingSince(now, { ...logged, enabled: false }, logged), anew);
    assert.equal(loggingSince(now, { ...logged, action: "allow" }, logged), anew);
    assert.equal(loggingSince(now, { ...logged, loggingSince: undefined }, logged), anew);
    assert.equal(from({ action: "add_reporting_directives" }), since);
  });

  it("is nothing while it is off, and what it was while it blocks", () => {
    assert.equal(loggingSince(now, logged, { ...logged, enabled: false }), undefined);
    assert.equal(loggingSince(now, logged, { ...logged, action: "allow" }), since);
    assert.equal(loggingSince(now, {}, { ...logged, action: "allow" }), undefined);
    assert.deepEqual(["log", "add_reporting_directives", "allow", undefined].map(reports), [
      true,
      true,
      false,
      false,
    ]);
  });

  it("decides from when on it may block, to the millisecond, and the refusal says why the time starts anew", () => {
    const refusal = (days: number, before: object = {}, value?: string, expression: unknown = "a") =>
      earliestAllow(now, days, { ...logged, ...before }, value, expression)?.message;
    assert.equal(refusal(10), undefined);
    const from = new Date(now + day).toISOString();
    assert.equal(
      refusal(11),
      `the policy logs since ${since}, and minimumLogDays asks for 11 days before it may block. From ${from} on the change to "allow" is fine; until then leave action at "log".`,
    );
    const starts = new Date(now + 3 * day).toISOString();
    const said = (why: string) =>
      `minimumLogDays asks for 3 days of log before the policy may block, and ${why}. Apply what is declared with action "log" first: done now, the change to "allow" is fine from ${starts} on.`;
    assert.equal(
      refusal(3, { enabled: false }),
      said("it is switched off: as long as it is, nothing is logged"),
    );
    assert.equal(
      refusal(3, { loggingSince: undefined }),
      said("it is not known since when it logs, so the time starts now"),
    );
    assert.equal(
      refusal(3, {}, undefined, "b"),
      said("it would be for other pages than before, so the time starts anew"),
    );
    assert.equal(
      refusal(3, {}, "script-src 'none'"),
      said("it would forbid more than it did before, so the time starts anew"),
    );
    assert.equal(refusal(3, {}, undefined, { unknown }), undefined, "what is not known yet is as it was");
    assert.equal(refusal(0, {}, "script-src 'none'"), undefined);
  });
});

describe("What is said of a policy without a request", () => {
  it("is that it has no text, or two", () => {
    const said = (args: Properties) =>
      declarationFindings(args, "off", "all").map(({ property, message }) => `${property}: ${message}`);
    assert.deepEqual(said({}), [
      ": neither value nor directives is given. Give the policy as text in value, or as an object in directives.",
    ]);
    assert.deepEqual(said({ value: "script-src 'self'", directives: { "script-src": ["'self'"] } }), [
      "directives: both value and directives are given. They say the same thing twice; keep one of them.",
    ]);
    assert.deepEqual(said({ value: "script-src 'self'" }), []);
    assert.deepEqual(said({ value: 7 }), []);
  });

  it("is what the lint finds, with its place; as errors only where they can fail; nothing of what is not known yet", () => {
    const wild = { value: "script-src *" };
    const [found] = declarationFindings(wild, "warn", "all");
    assert.deepEqual([found?.severity, found?.property], ["warning", "value"]);
    assert.match(found?.place ?? "", /^character \d+ of the text$/);
    assert.match(found?.code ?? "", /^csp-lint-/);
    assert.deepEqual(declarationFindings(wild, "warn", "errors"), []);
    assert.deepEqual(declarationFindings(wild, { level: "warn" }, "errors"), []);
    assert.ok(declarationFindings(wild, "error", "errors").some(({ severity }) => severity === "error"));
    assert.ok(declarationFindings(wild, { level: "error" }, "errors").length > 0);
    for (const [args, setting] of [
      [{ value: unknown }, "error"],
      [wild, unknown],
      [wild, { off: [unknown] }],
      [{ directives: { "script-src": [unknown] } }, "error"],
    ] as const) {
      assert.deepEqual(declarationFindings(args, setting, "all"), []);
    }
    const [inDirectives] = declarationFindings({ directives: { "script-src": ["*"] } }, "warn", "all");
    assert.equal(inDirectives?.property, "directives");
    const [unwritable] = declarationFindings({ directives: { "script-src": ["a;b"] } }, "off", "all");
    assert.deepEqual([unwritable?.code, unwritable?.severity], ["csp-not-writable", "error"]);
  });

  it("is a lint rule that there is not, and an action that the service's name does not know", () => {
    const said = (setting: unknown) =>
      settingFindings(setting).map(({ property, message }) => `${property}: ${message}`);
    assert.deepEqual(said({ off: ["zzzzzzzzzzzzzzzzzzzzzzzz"] }), [
      'lint.off[0]: no lint rule has the name "zzzzzzzzzzzzzzzzzzzzzzzz". docs/csp-lint-rules.md has them all.',
    ]);
    assert.deepEqual([said("warn"), said(undefined), said({ off: [unknown] }), said(7)], [[], [], [], []]);
    const services = ["page_guard", "page_shield", undefined] as const;
    assert.deepEqual(
      services.map((service) => actionFindings("add_reporting_directives", () => service).length),
      [1, 0, 0],
    );
    assert.deepEqual(
      actionFindings("log", () => "page_guard"),
      [],
    );
  });
});

describe("A policy through its life, without sockets", () => {
  const begin = () => quickStory(cspPolicy, { [zoneA]: { ...quietZone, policies: [] } });

  it("asks nothing while its zone is unknown, and says nothing of an equal one while anything is", async () => {
    const { sim, engine } = begin();
    assert.deepEqual(await engine.preview({ csp: policy({ zoneId: unknown }) }), ["create csp"]);
    assert.equal(sim.journal.length, 0);
    await engine.up({ csp: policy() });
    const other = quickStory(cspPolicy, {
      [zoneA]: { ...quietZone, policies: [...sim.zone(zoneA).policies] },
    });
    await other.engine.preview({ csp: policy({ expression: unknown }) });
    assert.deepEqual(other.engine.warnings, []);
    await other.engine.preview({ csp: policy() });
    assert.equal(other.engine.warnings.length, 1);
  });

  it("is not recorded where its creation is refused, and as it was where its update is", async () => {
    const { sim, engine } = begin();
    sim.faults.add({ method: "POST", kind: "status", status: 403 });
    await engine.upFails({ csp: policy() });
    assert.equal(engine.state.size, 0);
    sim.faults.clear();
    await engine.up({ csp: policy() });
    const before = engine.outputs("csp");
    sim.faults.add({ method: "PUT", kind: "status", status: 403 });
    await engine.upFails({ csp: policy({ description: "other" }) });
    assert.deepEqual(engine.outputs("csp"), before);
  });

  it("keeps what was found of its impact as long as it blocks the same", async () => {
    const { sim, engine } = quickStory(cspPolicy, { [zoneA]: { ...quietZone, policies: [] } });
    sim.dashboard.addScript(zoneA, {
      url: "https://other.example.net/a.js",
      host: "shop.example.com",
    } as never);
    const allow = (args: Properties = {}) => ({ csp: policy({ action: "allow", ...args }) });
    await engine.up(allow());
    const { impact } = engine.outputs("csp");
    assert.notEqual(impact, undefined);
    await engine.up(allow({ description: "renamed" }));
    assert.deepEqual(engine.outputs("csp")["impact"], impact);
    await engine.up({ csp: policy() });
    assert.equal(engine.outputs("csp")["impact"], undefined);
  });
});

describe("A set of many policies", () => {
  const entry = { action: "allow", expression: "true", value: "script-src 'self'" };

  it("tells twenty of them one by one, and of the rest that it is the same", async () => {
    const { engine } = quickStory(cspPolicySet, { [zoneA]: { ...quietZone, policies: [] } });
    const policies = Object.fromEntries(
      Array.from({ length: 23 }, (_, index) => [`p${index}`, { ...entry, description: `${index}` }]),
    );
    const said = await engine.previewFails({ set: { zoneId: zoneA, policies, minimumLogDays: 3 } });
    const lines = said.split("\n");
    assert.equal(lines.length, 21);
    assert.match(lines[0] ?? "", /^policies\.p0\.action: /);
    assert.match(lines[19] ?? "", /^policies\.p19\.action: /);
    assert.match(
      lines[20] ?? "",
      /^the same is to be said of policies\.p20\.action, policies\.p21\.action, policies\.p22\.action\. \[/,
    );
  });

  it("asks nothing of an entry, or of all of them, while it is unknown", async () => {
    const { engine } = quickStory(cspPolicySet, { [zoneA]: { ...quietZone, policies: [] } });
    assert.deepEqual(await engine.preview({ set: { zoneId: zoneA, policies: unknown } }), ["create set"]);
    assert.deepEqual(await engine.preview({ set: { zoneId: zoneA, policies: { a: unknown } } }), [
      "create set",
    ]);
    await engine.up({ set: { zoneId: zoneA, policies: { a: { ...entry, action: "log" } } } });
    assert.deepEqual(await engine.preview({ set: { zoneId: zoneA, policies: { a: unknown } } }), [
      "update set",
    ]);
    assert.deepEqual(await engine.preview({ set: { zoneId: zoneA, policies: unknown } }), ["update set"]);
  });
});
