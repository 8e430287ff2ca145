import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { each } from "../../support/each";
import { Approving, csp } from "../support/approving";
import { printed, useDesk, zoneId } from "../support/console";
import { step, urnOf } from "../support/events";

const create = step({ name: "csp", op: "create", after: csp });
const same = step({ name: "other", op: "same", before: csp, after: csp });

describe("page-guard review --approve", () => {
  const atDesk = useDesk();

  async function begin(zone: object = {}): Promise<Approving> {
    const desk = await atDesk();
    desk.sim.zones.seed(zoneId, { policies: [{ description: "somebody's", expression: "true" }], ...zone });
    const story = new Approving(desk);
    story.previews(create, same);
    return story;
  }

  it("given a preview, then it writes the changes, the engine's plan and the zones' objects, without versions and times, readable only by the owner, and reads each object once", async () => {
    const entrypoint = { rules: [{ action: "block", expression: "true" }] };
    const story = await begin({ plan: "enterprise", entrypoint });
    story.pulumi.plans({ [urnOf("csp")]: {} });
    const target = join(story.desk.folder, "target");
    writeFileSync(target, "");
    symlinkSync(target, story.file);
    const flags = ["--markdown", "review.md", "--undo", "undo"];
    assert.equal((await story.review([...flags, "--", "pulumi", "preview"])).code, 0);
    const read = story.desk.sim.journal.map(({ path }) => path);
    assert.deepEqual(read, [...new Set(read)]);
    assert.equal(readFileSync(target, "utf8"), "", "a link was followed");
    for (const file of [story.file, join(story.desk.folder, "review.md")])
      assert.equal(statSync(file).mode & 0o777, 0o600);
    const { steps, zones, project, stack, plan, seal } = { seal: "", ...story.content() };
    assert.deepEqual([project, stack], ["story", "dev"]);
    assert.match(seal, /^sha256:/);
    assert.match(plan, /^\{"manifest":\{\},"resourcePlans":/);
    const written = steps.map(({ urn, op, after, unknown }) => [urn, op, after, unknown]);
    assert.deepEqual(written, [[urnOf("csp"), "create", csp, []]]);
    assert.deepEqual(zones[0]?.parts, ["settings", "policies", "entrypoint"]);
    assert.deepEqual(each(zones[0]?.objects, "kind"), ["settings", "policy", "entrypoint", "rule"]);
    assert.doesNotMatch(JSON.stringify(zones), /updated|lastUpdated|"version"/);
  });

  it("given a migration, then it writes its state and the service's proposal; given a deleted zone, then no objects of it", async () => {
    const story = await begin({ plan: "enterprise", waf: {} });
    const after = { zoneId, stage: "validation", confirm: zoneId };
    const waf = step({ name: "waf-step", kind: "WafMigrationStep", op: "create", after });
    const { objects = [] } = (await story.approves(waf)).zones[0] ?? {};
    const migration = objects.find(({ kind }) => kind === "migration")?.fields ?? {};
    assert.equal(migration["compatible"], true);
    assert.ok(Array.isArray(Object(migration["proposed"]).rules));
    const gone = { ...csp, zoneId: "f".repeat(32) };
    const deleted = step({ name: "csp", op: "delete", before: gone, id: `${gone.zoneId}/1` });
    const { zones } = await story.approves(deleted);
    assert.deepEqual(zones, [{ zoneId: gone.zoneId, parts: ["policies"], objects: [] }]);
  });

  it("given a preview that fails, then it writes no file and removes the file of an earlier review", async () => {
    const story = await begin();
    await story.review();
    story.pulumi.fails(9, "no");
    assert.equal((await story.review()).code, 9);
    assert.ok(!existsSync(story.file));
  });

  it("given an invalid plan, a plan of another stack or one with secrets in plain text, then it writes no file", async () => {
    const story = await begin();
    const open = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", plaintext: '"x"' };
    for (const [plans, expected] of [
      [[], /is not the output of `pulumi preview --save-plan`/],
      [{ "urn:pulumi:other::story::t::n": {} }, /does not belong to the stack of the preview/],
      [{ [urnOf("csp")]: { state: { value: [open] } } }, /has secrets in plain text, from --show-secrets/],
    ] as const) {
      story.pulumi.plans(plans);
      const err = await printed(story.review(), 1);
      assert.match(err, expected);
      assert.ok(!existsSync(story.file));
    }
  });

  it("given recorded events, then it requires their plan; it refuses flags that show secrets or save the plan", async () => {
    const story = await begin();
    const { folder } = story.desk;
    writeFileSync(join(folder, "events"), `${create}\n${JSON.stringify({ summaryEvent: {} })}\n`);
    writeFileSync(join(folder, "plan"), JSON.stringify({ manifest: {}, resourcePlans: {} }));
    for (const flag of ["--events", "--plan"])
      assert.match(
        (await story.review([flag, "events"])).err,
        /--plan is required if both --events and --approve/,
      );
    assert.equal((await story.review(["--events", "events", "--plan", "plan"])).code, 0);
    for (const flag of ["--show-secrets", "--show-secrets=true", "--save-plan=x"]) {
      const { err } = await story.review(["--", "pulumi", "preview", flag]);
      assert.match(err, /Leave out --(show-s|save-p)/);
    }
    assert.deepEqual(story.pulumi.calls(), []);
  });

  it("given a resource with a type of this package but another provider, then it is reported, and neither approved nor applied", async () => {
    const story = await begin();
    await story.review();
    story.previews(create.replace("pulumi-page-guard/runtime", "./evil"));
    assert.match(await story.refuses(), /csp: this was not shown at approval: .*\[provider-forged\]/);
    assert.match(await printed(story.review(), 1), /the review has errors\. No file/);
    assert.ok(!existsSync(story.file));
  });

  it("given a resource that another version of the plugin creates anew, then it reports the deletion and writes no file", async () => {
    const policies = [{ ...csp, zoneId: undefined }];
    const story = await begin({ policies });
    const [{ id = "" } = {}] = story.desk.sim.zone(zoneId).policies;
    const by = (version: string, line: string) => {
      const provider = `urn:pulumi:dev::story::pulumi:providers:page-guard::${version}::1`;
      return line
        .replaceAll("pulumi-nodejs:dynamic/page-guard:", "page-guard:index:")
        .replace('"inputs":', `"custom":true,"provider":"${provider}","inputs":`);
    };
    const made = step({ name: "renamed", op: "create", after: csp });
    const recorded = { ...csp, policyId: id };
    const gone = step({ name: "csp", op: "delete", before: csp, recorded, id: `${zoneId}/${id}` });
    story.previews(by("default_0_2_0", made), by("default_0_1_0", gone));
    const { code, out, err } = await story.review();
    assert.equal(code, 1, out + err);
    assert.match(out, /: 1 policy to adopt, 1 policy to delete\./);
    assert.match(err, /several providers change objects of the same kind \(policy\) in zone a0a1/);
    assert.ok(!existsSync(story.file));
    story.previews(by("default_0_2_0", made), by("default_0_2_0", gone));
    assert.match((await story.review()).out, /: 1 policy to adopt\./);
    assert.ok(existsSync(story.file));
  });

  it("given a renamed resource whose old object is deleted first, then it writes no file, because no update could follow the plan", async () => {
    const story = await begin();
    const sides = { name: "new", oldName: "csp", before: csp, after: csp, id: `${zoneId}/1` };
    const [gone, ...rest] = ["delete-replaced", "replace", "create-replacement"] as const;
    const deleted = step({ name: "csp", op: gone, before: csp, id: `${zoneId}/1` });
    story.previews(deleted, ...rest.map((op) => step({ ...sides, op })));
    const err = await printed(story.review(), 1);
    assert.match(err, /renames new \(CspPolicy\) with an alias and deletes .* first/);
    assert.ok(!existsSync(story.file));
    story.previews(...rest.map((op) => step({ ...sides, op })), deleted);
    assert.equal((await story.review()).code, 0);
  });

  it("given PAGE_GUARD_OFFLINE, a short key or no file, then it fails before the preview", async () => {
    const story = await begin();
    assert.match((await story.review([], { PAGE_GUARD_OFFLINE: "1" })).err, /PAGE_GUARD_OFFLINE is set/);
    assert.match((await story.review([], { PAGE_GUARD_APPROVAL_KEY: "short" })).err, /fewer than 16/);
    const printed = await story.desk.pageGuard(["review", "--approve", "-"], { env: story.pulumi.env });
    assert.match(printed.err, /--approve needs the name of a file/);
    assert.deepEqual(story.pulumi.calls(), []);
  });
});
