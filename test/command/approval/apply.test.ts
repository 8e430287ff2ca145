import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { lockOwner } from "../../../command/src/pulumi/run-pulumi";
import type { Clock } from "../../../provider/src/api/clock";
import { unknownValue } from "../../../provider/src/model/unknown";
import { each } from "../../support/each";
import { Approving, csp } from "../support/approving";
import { printed, useDesk, zoneId } from "../support/console";
import { diagnostic, secretInEvent, step, urnOf } from "../support/events";
import { blocking, scripts } from "../support/in-use";

const create = (name = "csp", after: object = csp) => step({ name, op: "create", after: { ...after } });

describe("page-guard apply", () => {
  const atDesk = useDesk();

  async function begin(...lines: readonly string[]): Promise<Approving> {
    const desk = await atDesk();
    desk.sim.zones.seed(zoneId, { policies: [{ description: "a colleague's", expression: "true" }] });
    const approving = new Approving(desk);
    if (lines.length > 0) await approving.approves(...lines);
    return approving;
  }

  it("given nothing has changed since the approval, then it runs the update under the engine's plan, which only its owner can read; no process gets the key", async () => {
    const story = await begin();
    // pnpm adds the folders of the command to NODE_PATH. The program must not find packages there.
    const NODE_PATH = [join(__dirname, "../../../node_modules"), "/of/the/user"].join(delimiter);
    const env = { PAGE_GUARD_APPROVAL_KEY: "a key of sixteen characters and more", NODE_PATH };
    story.previews(create());
    story.pulumi.plans({ [urnOf("csp")]: { odd: "\u2028 <&>" } });
    assert.equal((await story.review(undefined, env)).code, 0);
    story.pulumi.plans({});
    const { code, err } = await story.apply([], { env });
    assert.equal(code, 0, err);
    assert.match(err, /As approved .*: 1 to create; 1 zone checked/);
    assert.match(story.pulumi.calls().at(-1) ?? "", /^up --yes .*--non-interactive --stack dev --plan \//);
    assert.match(story.pulumi.givenPlan(), /^-rw-------/);
    assert.ok(story.pulumi.givenPlan().endsWith(story.content().plan));
    assert.ok(!JSON.stringify(story.pulumi.lastEnv()).includes("sixteen"), "the key was handed on");
    assert.equal(story.pulumi.lastEnv()["NODE_PATH"], "/of/the/user");
  });

  it("given an unknown value in place of a text, or a text in place of an unknown value, then it refuses the update and says which input differs", async () => {
    const story = await begin(create());
    story.previews(create("csp", { ...csp, value: unknownValue }));
    assert.match(await story.refuses(), /inputs have changed: value "\[not known yet\]"/);
    await story.approves(create("csp", { ...csp, value: unknownValue }));
    story.previews(create("csp", { ...csp, value: "[not known yet]", action: "[secret]" }));
    assert.match(await story.refuses("--allow", "unknown-input=csp.value"), /changed: action/);
  });

  it("given a text that is equal to a secret in only one of the two previews, then it says that a secret may have changed", async () => {
    const story = await begin(create("csp", { ...csp, description: "[secret]" }));
    const reason =
      /description "one" in place of "\[secret\]"\. The engine hides .*, so a secret .* changed\n/;
    story.previews(create("csp", { ...csp, description: "one" }));
    assert.match(await story.refuses(), reason);
    story.previews(create("csp", { ...csp, description: "one", action: "allow" }));
    assert.doesNotMatch(await story.refuses(), /The engine hides/);
    await story.approves(create("csp", { ...csp, description: "one" }));
    story.previews(create("csp", { ...csp, description: "[secret] time" }));
    assert.match(await story.refuses(), /The engine hides/);
  });

  it("given a colleague's edits in the zone, then it refuses the update and names each, in a zone by its name, and finds no difference in spelling", async () => {
    const story = await begin(create());
    const { sim } = story.desk;
    const [first] = sim.zone(zoneId).policies;
    sim.edit(zoneId, ({ policies }) => {
      for (const policy of policies) policy.expression = " true ";
    });
    await story.applies();
    const added = sim.dashboard.putPolicy(zoneId, { description: "late", expression: "true" });
    sim.edit(zoneId, (zone) => {
      for (const policy of zone.policies) if (policy.id === first?.id) policy.enabled = !policy.enabled;
      zone.settings.enabled = !zone.settings.enabled;
    });
    assert.match(await story.refuses(), new RegExp(`${zoneId}: the policy "late" \\(${added.id}\\) is new`));
    writeFileSync(join(story.desk.folder, "zones.yaml"), `- id: "${zoneId}"\n  name: shop-de\n`);
    const said = await story.refuses();
    assert.match(said, /zone shop-de: the policy "late" .* is new/);
    assert.match(said, /the policy "a colleague's" .*: enabled is \w+, was \w+/);
    assert.match(said, /the settings: enabled is \w+, was \w+/);
    sim.edit(zoneId, ({ policies }) => void policies.splice(0));
    assert.match(await story.refuses(), /the policy "a colleague's" .* is gone/);
  });

  it("given secret inputs, then the file has only digests of the zone's policies and rules, and a changed one is named without its text", async () => {
    const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
    const story = await begin(create("csp", { ...csp, value: secret }));
    assert.doesNotMatch(readFileSync(story.file, "utf8"), /colleague's/);
    await story.applies();
    story.desk.sim.edit(zoneId, ({ policies }) => {
      for (const policy of policies) policy.description = "hush";
    });
    const said = await story.refuses();
    assert.match(said, /the policy \(\w+\) has changed \(not shown: /);
    assert.doesNotMatch(said, /hush|colleague/);
  });

  it("given a host that came into use since, or a finding that was not shown, then it refuses the update; fewer hosts and another text are no difference", async () => {
    const story = await begin();
    /** A policy that blocks these scripts, as the provider process says it. */
    const blocks = async (...urls: readonly string[]): Promise<string[]> => {
      const said = await blocking("script-src https://ok.example", scripts(...urls.map((url) => ({ url }))));
      story.pulumi.finds({ ...said, severity: "warning", urn: urnOf("csp"), property: "" });
      return [create(), diagnostic("warning", `${said.text} [${said.code}]`, urnOf("csp"))];
    };
    await story.approves(...(await blocks("https://a.example/1.js", "https://b.example/1.js")));
    story.previews(...(await blocks("https://b.example/2.js", "https://b.example/3.js")));
    await story.applies();
    story.previews(...(await blocks("https://b.example/1.js", "https://c.example/1.js")));
    assert.match(await story.refuses(), /not shown at approval: c\.example: .*\[csp-blocks-in-use\]/);
    story.pulumi.finds();
    story.previews(create(), diagnostic("warning", "odd [csp-hidden-not-seen]", urnOf("csp")));
    assert.match(await story.refuses(), /csp: this was not shown at approval: odd \[csp-hidden-not-seen\]/);
  });

  it("given a finding that names only policies of the stack, which depends on the order of the resources, then it is no difference", async () => {
    const own = step({ name: "own", op: "same", id: `${zoneId}/1`, before: csp, after: csp });
    const story = await begin(own, create());
    const near = { code: "csp-near-miss", severity: "warning", property: "", text: "near" };
    const finds = (...policyIds: string[]) =>
      story.pulumi.finds({ ...near, urn: urnOf("csp"), data: { policyIds } });
    finds("1");
    await story.applies();
    finds("1", "2");
    assert.match(await story.refuses(), /csp: this was not shown at approval: near \[csp-near-miss\]/);
  });

  it("given an object that someone created exactly as declared, then only --allow adopted accepts it, which was called taken-over", async () => {
    const story = await begin(create());
    story.desk.sim.dashboard.putPolicy(zoneId, { ...csp, value: " script-src  'self' ;" });
    story.previews(create(), diagnostic("warning", "it is there already [csp-adopted]", urnOf("csp")));
    const said = await story.refuses();
    assert.match(said, /not shown at approval: it is there already \[csp-adopted\]/);
    assert.match(said, /part of the update has already been done\. Allow it with --allow adopted\.\n$/);
    await story.refuses("--allow", "no-change");
    assert.match(await story.applies("--allow", "adopted,no-change"), /^Allowed: zone a0a1.* new\./m);
    await story.applies("--allow", "taken-over");
    story.desk.sim.dashboard.putPolicy(zoneId, { ...csp, value: "script-src 'none'" });
    await story.refuses("--allow", "adopted,no-change");
  });

  it("given an input that nobody could see, then only its name accepts it; a zone that is not known, only unknown-zone", async () => {
    const late = create("csp", { ...csp, value: unknownValue });
    const more = create("more", { ...csp, description: "more" });
    const story = await begin(late, more);
    story.previews(late);
    const said = await story.refuses("--allow", "unknown-input=csp.expression");
    assert.match(said, /create csp \(CspPolicy\): the input value is only known after/);
    assert.match(said, /If this is intended, allow it with --allow unknown-input=csp\.value,no-change\.\n$/);
    await story.applies("--allow", "unknown-input=csp.value,no-change");
    story.previews(create("csp", { ...csp, value: "script-src 'none'" }), more);
    assert.match(await story.refuses(), /the input value was not known at approval/);
    await story.applies("--allow", "unknown-input=csp.value");

    await story.approves(create());
    const nowhere = create("csp", { ...csp, zoneId: unknownValue });
    story.previews(nowhere);
    const gone = await story.refuses("--allow", "unknown-zone");
    assert.match(gone, /changed: zoneId "\[not known yet\]"/);
    await story.approves(nowhere);
    const hidden = await story.refuses();
    assert.match(hidden, /the zone of csp is secret, or only .*--allow unknown-zone\.\n$/s);
    assert.doesNotMatch(hidden, /approve again/);
    await story.applies("--allow", "unknown-zone");

    // The engine replaces the resource if the zone turns out to be another one, and its plan has only an update.
    const moves = step({ name: "csp", op: "update", before: csp, after: { ...csp, zoneId: unknownValue } });
    const { zones } = await story.approves(moves);
    assert.deepEqual(each(zones, "zoneId"), [zoneId]);
    assert.match(await story.refuses("--allow", "unknown-zone"), /Apply the other change first.*FILE\.\n$/s);
  });

  for (const op of ["create", "replace"] as const)
    for (const kind of ["ManagedWafEntrypoint", "WafMigrationStep"] as const)
      it(`given a secret zone and a step ${op} of ${kind}, then only unknown-zone allows it, and never for a migration`, async () => {
        const inputs = { zoneId: secretInEvent, rules: [], stage: "finished", confirm: secretInEvent };
        const sides = { after: inputs, ...(op === "replace" && { before: inputs, id: `${zoneId}/x` }) };
        const story = await begin(step({ name: "secret", kind, op, ...sides }));
        assert.match(
          (await story.review()).out,
          /The zone of secret \(\w+\) is secret or not known yet, .* needs --allow unknown-zone/,
        );
        assert.match(await story.refuses(), /the zone of secret is secret, or only known after/);
        if (kind === "ManagedWafEntrypoint") await story.applies("--allow", "unknown-zone");
        else assert.doesNotMatch(await story.refuses("--allow", "unknown-zone"), /--allow/);
      });

  it("given a name with the separators of a URN and what a shell would run, then it is shown as it is, and the flag to give works when it is pasted", async () => {
    const name = "pulumi:production::adopt::it's a, b; exit 7 $(id)";
    const story = await begin(create(name, { ...csp, value: unknownValue }));
    const said = await story.refuses();
    assert.ok(said.includes(`create ${name} (CspPolicy): the input value is only known after`), said);
    const [, pasted = ""] = /allow it with (--allow .*)\.\n$/.exec(said) ?? [];
    const shell = spawnSync("sh", ["-c", `printf '%s\\n' ${pasted}`], { encoding: "utf8" });
    await story.applies(...shell.stdout.trimEnd().split("\n"));
  });

  it("given an object that an earlier run replaced and did not delete, then its deletion and the update are two steps", async () => {
    const update = step({ name: "csp", op: "update", before: csp, after: csp, id: `${zoneId}/new` });
    const left = step({ name: "csp", op: "delete-replaced", before: csp, id: `${zoneId}/old` });
    const story = await begin(update, left);
    await story.applies();
    story.previews(left);
    assert.match(await story.refuses(), /update csp \(CspPolicy\): this is no longer needed/);
  });

  for (const [ended, expected] of Object.entries({ 1: 1, 2: 1, 255: 255 })) {
    it(`given an update or a preview that ends with ${ended}, then so does it: ${expected}`, async () => {
      const story = await begin(create());
      story.pulumi.ups(`exit ${ended}`);
      assert.equal((await story.apply()).code, expected);
      story.pulumi.fails(Number(ended), "csp: it would block [csp-blocks-in-use]");
      const { code, out } = await story.apply();
      assert.equal(code, expected);
      assert.match(out, /nothing was changed:\n {2}csp: it would block/);
      assert.equal(story.updates(), 1, "the update was run again");
    });
  }

  it("given a stack that stays locked, or a zone that changes while it waits, then the update stops, and the lock is not removed", async () => {
    const story = await begin(create());
    story.pulumi.ups(`${lockMessage}\nexit 255`);
    const patient = new PlayedClock();
    const late = await story.apply(["--wait", "30s"], { clock: patient });
    assert.deepEqual([late.code, patient.waited], [255, 30_000]);
    assert.match(late.err, /nothing was changed\. .* 0\.5 min .*pulumi cancel/);
    assert.match((await story.apply()).err, /nothing was changed\. .*--wait 10m /);
    const meanwhile = new PlayedClock(() => {
      story.desk.sim.dashboard.putPolicy(zoneId, { description: "by the other one", expression: "true" });
    });
    const stopped = await story.apply(["--wait", "20m"], { clock: meanwhile });
    assert.equal(stopped.code, 2);
    assert.match(stopped.out, /the policy "by the other one" .* is new/);
  });

  it("recognises a lock by the messages of the backends and of Pulumi Cloud, and no other failure", () => {
    assert.equal(lockOwner(lockText), "deploy@ci-7 (process 123) since 2026-01-01T00:00:00Z");
    for (const why of ["Conflict: Another", "Another"])
      assert.equal(lockOwner(`error: [409] ${why} update is currently in progress.`), "another update");
    assert.equal(lockOwner("error: the door is locked"), undefined);
  });

  it("given another stack, another version's file, a tampered one, or another key, then it explains the mistake", async () => {
    const story = await begin(create());
    story.previews(create().replaceAll("urn:pulumi:dev::story", "urn:pulumi:prod::shop"));
    assert.match((await story.apply()).err, / is for stack dev of story, .* prod of shop/);

    const whole = readFileSync(story.file, "utf8");
    const says = async (text: string, key = ""): Promise<string> => {
      writeFileSync(story.file, text);
      const err = await printed(story.apply([], { env: { PAGE_GUARD_APPROVAL_KEY: key } }), 1);
      return err;
    };
    assert.match(await says("{}"), /is not a valid approval file/);
    assert.match(await says("{"), /: its content does not have the form /);
    assert.match(await says(whole.replace('"zones": [', '"zones": [7, ')), /: zones\.0 does not have/);
    const older = await says(whole.replace('"version": 3', '"version": 2'));
    assert.match(older, /: version does not have the form .* with the version /);
    assert.match(await says(whole.replace('"dev"', '"prod"')), /it was truncated, edited or .* Review and/);
    const key = "a key of sixteen characters and more";
    const otherKey = /PAGE_GUARD_APPROVAL_KEY has to be the same/;
    assert.match(await says(whole, key), otherKey);
    assert.match(await says(whole, "short"), /fewer than 16 characters/);
    story.previews(create());
    assert.equal((await story.review(undefined, { PAGE_GUARD_APPROVAL_KEY: key })).code, 0);
    const sealed = readFileSync(story.file, "utf8");
    assert.match(await says(sealed), otherKey);
    assert.match(await says(sealed, `${key}!`), otherKey);
    assert.equal(story.updates(), 0);
  });

  it("given a word that --allow does not know, then it says which ones there are, and runs nothing", async () => {
    const story = await begin(create());
    const calls = story.pulumi.calls().length;
    for (const word of ["all", "unknown-input", "unreviewed-migration", "unreviewed-migration="])
      assert.match(await printed(story.apply(["--allow", word]), 1), /unknown-input=RESOURCE\.INPUT/);
    assert.equal(story.pulumi.calls().length, calls);
  });

  it("given PAGE_GUARD_ALLOW_UNREVIEWED and a plan with a migration, then it needs the name of the stack", async () => {
    const waf = { name: "waf-step", kind: "WafMigrationStep" };
    const stage = { zoneId, stage: "finished" };
    const story = await begin(step({ ...waf, op: "create", after: { ...stage, confirm: zoneId } }));
    const env = { PAGE_GUARD_ALLOW_UNREVIEWED: "1" };
    const before = story.pulumi.calls().length;
    for (const word of ["no-change", "unreviewed-migration=prod", "unreviewed-migration=*"]) {
      const out = await printed(story.apply(["--allow", word], { env }), 2);
      assert.match(out, /^Nothing was changed\. The plan contains waf \(WafMigration\).*ALLOW_UNREVIEWED/);
      assert.match(out, /--allow unreviewed-migration=dev$/m);
    }
    assert.equal(story.pulumi.calls().length, before);
    const flags = ["--allow", "unreviewed-migration=dev", "--allow", "no-change"];
    assert.equal((await story.apply(flags, { env })).code, 0);
    assert.equal((await story.apply([], { env: { PAGE_GUARD_ALLOW_UNREVIEWED: "0" } })).code, 0);
    await story.approves(step({ ...waf, op: "delete", id: `${zoneId}/finished`, before: stage }));
    assert.equal((await story.apply([], { env })).code, 0);
  });
});

const lockText =
  "error: the stack is currently locked by 1 lock(s). Either wait for the other process(es) to end or delete the lock file with `pulumi cancel`.\n  file:///b/.pulumi/locks/x.json: created by deploy@ci-7 (pid 123) at 2026-01-01T00:00:00Z";
const lockMessage = `cat >&2 <<'END'\n${lockText}\nEND`;

/** Time that passes when somebody waits. */
class PlayedClock implements Clock {
  waited = 0;
  readonly now = () => this.waited;
  readonly epochNow = Date.now;

  constructor(private readonly meanwhile = () => {}) {}

  schedule(ms: number, callback: () => void) {
    this.waited += ms;
    this.meanwhile();
    setImmediate(callback);
    return () => {};
  }
}
