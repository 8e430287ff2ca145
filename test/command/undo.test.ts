import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Desk, printed, useDesk, zoneId } from "./support/console";
import { secretInEvent, stackStep, step, summary } from "./support/events";
import { resourcesOf } from "./support/written-program";

const policy = (description: string) => ({
  description,
  action: "log",
  expression: `http.host eq "${description}.example.com"`,
  value: "script-src 'self'",
});

describe("page-guard review --undo", () => {
  const begin = useDesk();

  async function deskOf(): Promise<Desk> {
    const desk = await begin();
    const policies = ["ours", "kept", "theirs", "equal"].map(policy);
    desk.sim.zones.seed(zoneId, { policies, scripts: 0, connections: 0, cookies: 0 });
    return desk;
  }

  const idOf = ({ sim }: Desk, name: string) =>
    sim.zone(zoneId).policies.find(({ description }) => description === name)?.id ?? "";

  async function undo(desk: Desk, lines: readonly string[]) {
    writeFileSync(join(desk.folder, "events.jsonl"), [stackStep(), ...lines, summary()].join("\n"));
    return desk.pageGuard(["review", "--events", "events.jsonl", "--undo", "undo"]);
  }

  const has = (desk: Desk, name: string, more: object = {}) => ({
    before: { zoneId, ...policy(name), ...more },
    recorded: { zoneId, ...policy(name), ...more, policyId: idOf(desk, name) },
    id: `${zoneId}/${idOf(desk, name)}`,
  });
  const exact = (policies: object, more: object = {}) =>
    step({
      name: "set",
      kind: "CspPolicySet",
      op: "create",
      after: { zoneId, others: "delete", policies, ...more },
    });

  it("saves policies that an exact set deletes, but not those that it adopts or that are in the state", async () => {
    const desk = await deskOf();
    const { description: _named, ...equal } = policy("equal");
    const lines = [
      exact({ equal }),
      step({ name: "ours", op: "same", ...has(desk, "ours"), after: { zoneId, ...policy("ours") } }),
      step({ name: "kept", op: "delete", ...has(desk, "kept", { onDestroy: "keep" }) }),
    ];
    await printed(undo(desk, lines), 0);
    assert.equal(statSync(join(desk.folder, "undo")).mode & 0o777, 0o700);
    const saved = resourcesOf(join(desk.folder, "undo"));
    assert.deepEqual(
      saved.map(({ kind, args }) => `${kind} ${args["description"]} ${args["zoneId"]}`),
      [`CspPolicy kept ${zoneId}`, `CspPolicy theirs ${zoneId}`],
      "the set also deletes the policy that its resource leaves",
    );
    const said = readFileSync(join(desk.folder, "undo/UNDO.md"), "utf8");
    assert.match(
      said,
      /The revert can delete objects[\s\S]* policy `equal`\. Read the preview of the revert/,
    );
  });

  it("saves the list of rules if the update writes it, but not if it only changes settings", async () => {
    const desk = await begin();
    const rule = { action: "log", expression: "true", description: "theirs" };
    desk.sim.zones.seed(zoneId, { settings: { enabled: false }, entrypoint: { rules: [rule] } });
    const kinds = async (name: string, after: Record<string, unknown>) => {
      await printed(undo(desk, [step({ name, kind: name, op: "create", after })]), 0);
      const saved = resourcesOf(join(desk.folder, "undo")).map(({ kind }) => kind);
      rmSync(join(desk.folder, "undo"), { recursive: true });
      return saved;
    };
    assert.deepEqual(await kinds("PageGuardSettings", { zoneId, enabled: true }), ["PageGuardSettings"]);
    const list = { zoneId, foreignRules: "overwrite", rules: [{ action: "block", expression: "false" }] };
    assert.deepEqual(await kinds("ManagedWafEntrypoint", list), ["ManagedWafEntrypoint"]);
  });

  it("saves a list without rules if the update writes it, but not if it migrates the zone", async () => {
    const desk = await begin();
    desk.sim.zones.seed(zoneId, { entrypoint: { name: "old", rules: [] } });
    const after = { zoneId, name: "new", rules: [{ action: "block", expression: "false" }] };
    const list = step({ name: "waf", kind: "ManagedWafEntrypoint", op: "create", after });
    await printed(undo(desk, [list]), 0);
    const [saved] = resourcesOf(join(desk.folder, "undo"));
    assert.deepEqual(saved?.args, {
      zoneId,
      name: "old",
      rules: [],
      foreignRules: "overwrite",
      onDestroy: "keep",
    });
    rmSync(join(desk.folder, "undo"), { recursive: true });
    const migration = step({ name: "waf", kind: "WafMigrationStep", op: "create", after: { zoneId } });
    await printed(undo(desk, [migration, list]), 0);
    assert.deepEqual(readdirSync(join(desk.folder, "undo")), ["UNDO.md"]);
  });

  it("leaves out a policy whose action the service of the zone does not know", async () => {
    const desk = await begin();
    const theirs = { ...policy("theirs"), action: "add_reporting_directives" };
    desk.sim.zones.seed(zoneId, { policies: [theirs] });
    await printed(undo(desk, [exact({})]), 0);
    const said = readFileSync(join(desk.folder, "undo/UNDO.md"), "utf8");
    assert.match(said, /## Left out\n\n- .*the policy "theirs".*exists on page\S*shield only/);
    assert.deepEqual(readdirSync(join(desk.folder, "undo")), ["UNDO.md"]);
  });

  it("saves nothing if no object is lost, and says so", async () => {
    const desk = await deskOf();
    const lines = [
      step({ name: "new", op: "create", after: { zoneId, ...policy("new") } }),
      step({ name: "kept", op: "delete", ...has(desk, "kept", { onDestroy: "keep" }) }),
      step({ name: "ours", op: "delete", ...has(desk, "ours"), retainOnDelete: true }),
    ];
    await printed(undo(desk, lines), 0);
    assert.deepEqual(readdirSync(join(desk.folder, "undo")), ["UNDO.md"]);
    assert.match(readFileSync(join(desk.folder, "undo/UNDO.md"), "utf8"), /deletes and overwrites nothing/);
  });

  it("saves nothing of a zone with secret inputs, and says so", async () => {
    const desk = await deskOf();
    await printed(undo(desk, [exact({ hidden: { ...policy("hidden"), value: secretInEvent } })]), 0);
    const said = readFileSync(join(desk.folder, "undo/UNDO.md"), "utf8");
    assert.match(said, /the policy "theirs".*secret inputs in this zone/);
    assert.deepEqual(readdirSync(join(desk.folder, "undo")), ["UNDO.md"]);
  });

  it("refuses a link in the path, a folder that is not empty, and PAGE_GUARD_OFFLINE, before any preview", async () => {
    const desk = await deskOf();
    mkdirSync(join(desk.folder, "elsewhere"));
    symlinkSync("elsewhere", join(desk.folder, "undo"));
    assert.match((await undo(desk, [])).err, /does not accept symbolic links/);
    assert.deepEqual(readdirSync(join(desk.folder, "elsewhere")), []);
    rmSync(join(desk.folder, "undo"));
    const full = join(desk.folder, "undo");
    mkdirSync(full);
    writeFileSync(join(full, "mine.txt"), "");
    assert.match((await undo(desk, [])).err, /undo is not empty/);
    assert.deepEqual(readdirSync(full), ["mine.txt"]);
    const args = ["review", "--undo", "other", "--", "no-such-pulumi", "preview"];
    const offline = await desk.pageGuard(args, { env: { PAGE_GUARD_OFFLINE: "1" } });
    assert.match(offline.err, /PAGE_GUARD_OFFLINE is set/);
    assert.ok(!existsSync(join(desk.folder, "other")));
  });
});
