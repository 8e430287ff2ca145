import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { approvedText, readApproved } from "../../provider/src/lifecycle/approval/approved-file";
import { digestKey, fileDigest } from "../../provider/src/lifecycle/approval/keyed-digest";
import { dynamicProvider } from "../../provider/src/lifecycle/dynamic-provider";
import { createRun } from "../../provider/src/lifecycle/process-run";
import { cspPolicy } from "../../provider/src/resources/csp-policy/lifecycle";
import { pageGuardSettings } from "../../provider/src/resources/page-guard-settings/lifecycle";
import { wafMigrationStep } from "../../provider/src/resources/waf-migration/lifecycle";
import { urnOf } from "../small-engine/checkpoint";
import { ourPolicies, policy, quietZone, useStories, zoneA, zoneB } from "../small-engine/zones";
import { approve, step } from "./support/approve";
import { approvedSteps } from "./support/approved-steps";

describe("A run under an approved file", () => {
  const begin = useStories(cspPolicy);
  const beginMigration = useStories(wafMigrationStep);
  const beginSettings = useStories(pageGuardSettings);
  let folder = "";
  let file = "";
  let env: NodeJS.ProcessEnv = {};

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-approval-"));
    file = join(folder, "approved.json");
    env = {};
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const bothZones = { one: policy(), two: policy({ zoneId: zoneB }) };
  const creates = [
    step("CspPolicy", "create", "one", bothZones.one),
    step("CspPolicy", "create", "two", bothZones.two),
  ];

  it("given unchanged zones, then all changes are made, with one comparison of each zone before its first change", async () => {
    const { sim, engine } = await begin(undefined, env);
    await approve(file, sim, {
      zones: [zoneA, zoneB],
      steps: [...creates, step("CspPolicy", "create", "three", policy({ description: "more" }))],
    });
    env["PAGE_GUARD_APPROVED"] = file;
    const before = sim.journal.length;
    await engine.up({ ...bothZones, three: policy({ description: "more" }) });
    assert.deepEqual(ourPolicies(sim), ["checkout", "more"]);
    // Nothing of a policy asks for settings: these are the looks.
    const looks = sim.journal.slice(before).filter(({ path }) => /page_guard$/.test(path));
    assert.deepEqual(looks.map(({ zoneId }) => zoneId).sort(), [zoneA, zoneB]);
    env["PAGE_GUARD_APPROVED"] = "";
    assert.deepEqual(await engine.preview({ ...bothZones, three: policy({ description: "more" }) }), []);
  });

  it("given one zone of two that a colleague has edited, then it is not changed, and the error names what was done in the other", async () => {
    const { sim, engine } = await begin(undefined, env);
    await approve(file, sim, { zones: [zoneA, zoneB], steps: creates });
    sim.dashboard.putPolicy(zoneB, { description: "by a\ncolleague ::error::x", expression: "true" });
    env["PAGE_GUARD_APPROVED"] = file;
    const said = await engine.upFails(bothZones);
    assert.match(said, /not as it was approved: the policy "by a colleague.*is new/);
    assert.match(
      said,
      /Nothing was changed here\. Already done in this run: CspPolicy one of zone a0a1.* created\./,
    );
    assert.ok(!said.includes("::error"), said);
    assert.deepEqual(ourPolicies(sim, zoneA), ["checkout"]);
    assert.deepEqual(
      ourPolicies(sim, zoneB).filter((name) => name === "checkout"),
      [],
    );
  });

  it("given new versions and times, and another spelling of the same, then the zone counts as unchanged", async () => {
    const { sim, engine } = await begin(
      {
        [zoneA]: {
          ...quietZone,
          settings: {},
          entrypoint: {
            rules: [{ action: "execute", expression: "true", action_parameters: { id: "1".repeat(32) } }],
          },
        },
      },
      env,
    );
    const [somebodys] = sim.zone(zoneA).policies;
    await approve(file, sim, { zones: [zoneA], steps: creates });
    sim.edit(zoneA, ({ settings, entrypoint, policies }) => {
      settings.updated_at = "2030-01-01T00:00:00Z";
      const [first] = policies;
      if (first) first.expression = `  ${somebodys?.expression.replace(" eq ", "  eq  ")}`;
      if (!entrypoint) return;
      entrypoint.version = "9";
      for (const rule of entrypoint.rules) rule.version = "9";
    });
    env["PAGE_GUARD_APPROVED"] = file;
    await engine.up({ one: bothZones.one });
  });

  it("given a program that does something else, then it is refused", async () => {
    const { sim, engine } = await begin(undefined, env);
    const program = { one: policy(), two: policy({ description: "two" }) };
    await engine.up(program);
    await approve(file, sim, { zones: [zoneA, zoneB], steps: [step("CspPolicy", "update", "one", {})] });
    env["PAGE_GUARD_APPROVED"] = file;
    assert.match(
      await engine.upFails({ ...program, more: policy({ zoneId: zoneB }) }),
      /To create CspPolicy more is not in what was approved/,
    );
    await assert.rejects(
      engine.up({ one: program.one }),
      /To delete CspPolicy a0a1.* is not in what was approved/,
    );
    assert.deepEqual(ourPolicies(sim), ["checkout", "two"]);
    assert.deepEqual(ourPolicies(sim, zoneB), []);
  });

  it("given deletions, then only the approved ids are deleted, once and as the state has them", async () => {
    const { sim, engine } = await begin(undefined, env);
    const program = { one: policy(), two: policy({ description: "two" }) };
    await engine.up(program);
    const steps = await approvedSteps(engine, { two: program.two }, { kindOf: () => "CspPolicy" });
    await approve(file, sim, { zones: [zoneA], steps });
    env["PAGE_GUARD_APPROVED"] = file;
    await assert.rejects(
      engine.up({ one: program.one }),
      /To delete CspPolicy a0a1.* is not in what was approved/,
    );
    const one = engine.state.get("one");
    assert.ok(one);
    engine.state.set("one", { ...one, outputs: { ...one.outputs, onDestroy: "keep" } });
    await assert.rejects(
      engine.up({ two: program.two }),
      /To delete CspPolicy a0a1.* is not as it was approved: the state has another onDestroy\./,
    );
    assert.deepEqual(ourPolicies(sim), ["checkout", "two"]);
    engine.state.set("one", one);
    await engine.up({ two: program.two });
    assert.deepEqual(ourPolicies(sim), ["two"]);
    // What is approved is a deletion: to make it again is something else.
    assert.match(await engine.upFails(program), /To create CspPolicy one is not in what was approved/);
  });

  it("given no check that names the stack, then only an apply may delete; given another stack, then nothing is changed", async () => {
    const { sim, engine } = await begin(undefined, env);
    await engine.up({ one: policy() });
    const steps = await approvedSteps(engine, {}, { kindOf: () => "CspPolicy" });
    await approve(file, sim, { zones: [zoneA], steps });
    env["PAGE_GUARD_APPROVED"] = file;
    await assert.rejects(engine.destroy(), /The stack is not known/);
    assert.deepEqual(ourPolicies(sim), ["checkout"]);
    env["PAGE_GUARD_APPROVED_SHA256"] = fileDigest(readFileSync(file));
    await engine.destroy();
    assert.deepEqual(ourPolicies(sim), []);

    delete env["PAGE_GUARD_APPROVED_SHA256"];
    for (const more of [{ stack: "prod" }, { project: "other" }]) {
      await approve(file, sim, { zones: [zoneA], steps: creates, more });
      assert.match(
        await engine.upFails({ one: bothZones.one }),
        /What was approved is the stack \w+ of \w+, and this is dev of story\./,
      );
    }
    assert.deepEqual(ourPolicies(sim), []);
  });

  it("given a resource with the inputs of an approved one and another name, then it is refused; of two equal ones each is allowed once", async () => {
    const { sim, engine } = await begin(undefined, env);
    await approve(file, sim, { zones: [zoneA], steps: [step("CspPolicy", "create", "other", policy())] });
    env["PAGE_GUARD_APPROVED"] = file;
    assert.match(
      await engine.upFails({ one: policy() }),
      /To create CspPolicy one is not in what was approved/,
    );
    assert.deepEqual(ourPolicies(sim), []);

    const twins = { a: policy(), b: policy() };
    const of = (...names: string[]) => names.map((name) => step("CspPolicy", "create", name, policy()));
    await approve(file, sim, { zones: [zoneA], steps: of("a") });
    assert.match(
      await engine.upFails(twins, { parallel: true }),
      /To create CspPolicy [ab] is not in what was/,
    );
    assert.deepEqual(ourPolicies(sim), ["checkout"]);
  });

  it("given inputs that have lost their URN since their check, then they are compared with the approved steps of the same stack and zone, each once", async () => {
    const { sim } = await begin(undefined, env);
    const changed = policy({ description: "changed" });
    await approve(file, sim, {
      zones: [zoneA, zoneB],
      steps: [step("CspPolicy", "create", "one", changed)],
    });
    const run = createRun({
      env: { PAGE_GUARD_APPROVED: file, PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token },
      log: async () => undefined,
    });
    const provider = dynamicProvider(() => cspPolicy, run);
    await provider.check?.({}, { ...policy(), __urn: urnOf("one") });
    await assert.rejects(
      async () => provider.create?.({ ...changed, zoneId: zoneB }),
      /To create CspPolicy {1,2}is not in what was approved/,
    );
    await provider.create?.(changed);
    await assert.rejects(async () => provider.create?.(changed), /is not in what was approved/);
    assert.deepEqual(ourPolicies(sim), ["changed"]);
  });

  it("given a policy pack that makes a resource equal to an approved one after its check, then it is refused", async () => {
    const { sim } = await begin(undefined, env);
    const changed = policy({ description: "changed" });
    await approve(file, sim, { zones: [zoneA], steps: [step("CspPolicy", "create", "one", changed)] });
    const run = createRun({
      env: { PAGE_GUARD_APPROVED: file, PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token },
      log: async () => undefined,
    });
    const provider = dynamicProvider(() => cspPolicy, run);
    const checked = async (name: string) => {
      const result = await provider.check?.({}, { ...policy(), __urn: urnOf(name) });
      return { ...result?.inputs, ...changed };
    };
    const other = await checked("other");
    const one = await checked("one");
    await assert.rejects(
      async () => provider.create?.(other),
      /To create CspPolicy other is not in what was approved/,
    );
    await provider.create?.(one);
    assert.deepEqual(ourPolicies(sim), ["changed"]);
  });

  it("given settings that were switched, then the error has both values", async () => {
    const { sim, engine } = await beginSettings(undefined, env);
    await approve(file, sim, {
      zones: [zoneA],
      steps: [step("PageGuardSettings", "create", "watch", { zoneId: zoneA, enabled: true })],
    });
    sim.dashboard.setSettings(zoneA, { use_connection_url_path: true });
    env["PAGE_GUARD_APPROVED"] = file;
    const said = await engine.upFails({ watch: { zoneId: zoneA, enabled: true } });
    assert.match(said, /the settings: useConnectionUrlPath is true, was false.*\[PG_NOT_APPROVED\]/s);
    assert.deepEqual(sim.changing(), []);
  });

  it("given a zone with something secret, then only digests are kept, and a change is named without its text", async () => {
    const { sim, engine } = await begin(undefined, env);
    const key = "a key of sixteen characters and more";
    await approve(file, sim, { zones: [zoneA], steps: creates, isClosed: true, key });
    assert.ok(!readFileSync(file, "utf8").includes("blog.example.com"));
    env["PAGE_GUARD_APPROVED"] = file;
    assert.match(await engine.upFails({ one: bothZones.one }), /sealed with a key.*PAGE_GUARD_APPROVAL_KEY/);
    env["PAGE_GUARD_APPROVAL_KEY"] = key;
    const [somebodys] = sim.zone(zoneA).policies;
    sim.dashboard.putPolicy(zoneA, { id: somebodys?.id ?? "", value: "script-src 'none'" });
    const said = await engine.upFails({ one: bothZones.one });
    assert.match(said, /the policy \([0-9a-f]+\) has changed \(not shown: something in its zone is secret\)/);
    assert.ok(!said.includes("script-src"), said);
    sim.edit(zoneA, ({ policies }) => {
      if (policies[0] && somebodys) policies[0].value = somebodys.value;
    });
    await engine.up({ one: bothZones.one });
  });

  it("given a zone that was unknown at approval, then it is refused unless that is allowed", async () => {
    const { sim, engine } = await begin(undefined, env);
    const [, two] = creates;
    const unknownZones = [two?.urn ?? ""];
    await approve(file, sim, { zones: [zoneA], steps: creates, more: { unknownZones } });
    env["PAGE_GUARD_APPROVED"] = file;
    assert.match(await engine.upFails({ two: bothZones.two }), /not known when the rest was approved/);
    await approve(file, sim, {
      zones: [zoneA],
      steps: creates,
      more: { unknownZones, allowsUnknownZones: true },
    });
    await engine.up({ two: bothZones.two });
    assert.match(engine.warnings.map(({ text }) => text).join(), /its contents were not compared/);
  });

  it("given a migration that was not approved, or to another stage, then it is not started", async () => {
    const zone = { plan: "enterprise", waf: {} } as const;
    const { sim, engine } = await beginMigration({ [zoneA]: zone }, env);
    const declared = { zoneId: zoneA, stage: "finished", confirm: zoneA };
    env["PAGE_GUARD_APPROVED"] = file;
    await approve(file, sim, { zones: [zoneA], steps: [] });
    assert.match(
      await engine.upFails({ waf: declared }),
      /To create WafMigration waf is not in what was approved/,
    );
    const other = step("WafMigrationStep", "create", "waf", { ...declared, stage: "validation" });
    await approve(file, sim, { zones: [zoneA], steps: [other] });
    assert.match(
      await engine.upFails({ waf: declared }),
      /migration to stage "finished" is not in what was approved/,
    );
    assert.deepEqual(sim.changing(), []);
    await approve(file, sim, {
      zones: [zoneA],
      steps: [step("WafMigrationStep", "create", "waf", declared)],
    });
    await engine.up({ waf: declared });
    assert.equal(sim.changing().length, 1);
  });

  it("given a file that is cut, edited, of another version or missing, then nothing is changed and the error says why", async () => {
    const { sim, engine } = await begin(undefined, env);
    await approve(file, sim, { zones: [zoneA], steps: creates });
    const whole = readFileSync(file, "utf8");
    env["PAGE_GUARD_APPROVED"] = file;
    for (const [text, expected] of [
      [whole.slice(0, 200), /cannot be read: it is not JSON/],
      ["{}", /is not a valid approval file/],
      [whole.replace('"version": 2', '"version": 7'), /another version .*form 7, this one knows 2/],
      [
        whole.replace('"blog.example.com', '"shop.example.com').replace("blog", "shop"),
        /is not as it was written/,
      ],
    ] as const) {
      writeFileSync(file, text);
      assert.match(await engine.upFails({ one: bothZones.one }), expected);
    }
    rmSync(file);
    assert.match(
      await engine.upFails({ one: bothZones.one }),
      /cannot be read: ENOENT.*\[PG_NOT_APPROVED\]/s,
    );
    assert.deepEqual(sim.changing(), []);
    writeFileSync(file, whole);
    assert.throws(() => readApproved(file, { key: "some key or other" }), /sealed without the key/);
  });

  it("given an empty variable, or a device, a folder, a pipe or a file that is too large, then it fails at once and nothing is changed", async () => {
    const { sim, engine } = await begin(undefined, env);
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const large = join(folder, "large.json");
    writeFileSync(large, "{}");
    truncateSync(large, 64 * 1024 * 1024 + 1);
    for (const [given, expected] of [
      ["", /PAGE_GUARD_APPROVED is set and empty/],
      ["  ", /PAGE_GUARD_APPROVED is set and empty/],
      ["/dev/zero", /cannot be read: it is not a regular file/],
      [folder, /cannot be read: (it is not a regular file|EISDIR)/],
      [pipe, /cannot be read: it is not a regular file/],
      [large, /cannot be read: it has more than 64 MB/],
    ] as const) {
      env["PAGE_GUARD_APPROVED"] = given;
      const said = await engine.upFails({ one: bothZones.one });
      assert.match(said, expected);
      assert.match(said, /\[PG_NOT_APPROVED\]/);
    }
    assert.deepEqual(sim.changing(), []);
  });

  it("given a file that was written after apply read it, then it is refused, even with a valid seal", async () => {
    const { sim, engine } = await begin(undefined, env);
    await approve(file, sim, { zones: [zoneA], steps: creates });
    env["PAGE_GUARD_APPROVED"] = file;
    env["PAGE_GUARD_APPROVED_SHA256"] = fileDigest(readFileSync(file));
    const loose = policy({ action: "allow", impact: "off" });
    await approve(file, sim, { zones: [zoneA], steps: [step("CspPolicy", "create", "one", loose)] });
    assert.match(await engine.upFails({ one: loose }), /has changed since `page-guard apply` read it/);
    assert.deepEqual(sim.changing(), []);
    env["PAGE_GUARD_APPROVED_SHA256"] = fileDigest(readFileSync(file));
    await engine.up({ one: loose });
  });

  it("given a key, then the key derived for the file compares secrets, and seals nothing", async () => {
    const { sim, engine } = await begin(undefined, env);
    const key = "a key of sixteen characters and more";
    const one = { ...step("CspPolicy", "create", "one", policy({ value: "[secret]" })), secret: ["value"] };
    const value = policy()["value"];
    const secrets = [{ urn: one.urn, property: "value", value }];
    await approve(file, sim, { zones: [zoneA], steps: [one], secrets, key });
    const { content, sha256 } = readApproved(file, { key });
    Object.assign(env, {
      PAGE_GUARD_APPROVED: file,
      PAGE_GUARD_APPROVED_SHA256: sha256,
      PAGE_GUARD_APPROVAL_DIGEST_KEY: digestKey(content.salt, key).key,
    });
    const other = policy({ value: "script-src 'none'" });
    const refused = await engine.upFails({ one: other });
    assert.match(refused, /is not as it was approved: the program declares another value\./);
    await engine.up({ one: bothZones.one });

    const derived = env["PAGE_GUARD_APPROVAL_DIGEST_KEY"] ?? "";
    writeFileSync(file, approvedText(content, derived));
    assert.throws(() => readApproved(file, { key }), /sealed with another key/);
  });
});
