import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import type { Kind } from "../../provider/src/lifecycle/kind";
import { cspPolicy } from "../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../provider/src/resources/csp-policy-set/lifecycle";
import { managedWafEntrypoint } from "../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../provider/src/resources/page-guard-settings/lifecycle";
import type { Simulator } from "../../simulator/src";
import type { Program } from "../provider/small-engine/operation";
import { SmallEngine } from "../provider/small-engine/small-engine";
import { each } from "../support/each";
import { howMany } from "../support/random-runs";
import { type Desk, printed, useDesk, zoneId } from "./support/console";
import { addUnknownFields, randomZone } from "./support/random-zone";
import { type Constructed, resourcesOf, typeErrors } from "./support/written-program";

const root = resolve(__dirname, "../..");

const randomZones = howMany("ZONES", 10, 30);

describe("page-guard export", () => {
  const open = useDesk();

  it("given a zone, then writes a program with one protected resource for each object", async () => {
    const desk = await open();
    const { sim, folder, pageGuard } = desk;
    sim.zones.seed(zoneId, shop);
    assert.match(await printed(pageGuard(exportShop), 0), /^shop: settings, 3 policies, 2 WAF rules$/m);
    const made = resourcesOf(join(folder, "infra"));
    // Two policies with the same name: both get a hash of their id, not a running number.
    assert.match(
      made.map(({ kind, name }) => `${kind} ${name}`).join(", "),
      /^PageGuardSettings shop-settings, CspPolicy shop-blog-example-com-allow(, CspPolicy shop-checkout-[0-9a-f]{6}){2}, ManagedWafEntrypoint shop-waf$/,
    );
    assert.ok(made.every(({ options }) => JSON.stringify(options) === '{"protect":true}'));
    const defaults = { useVendorReportingEndpoint: true, useConnectionUrlPath: false };
    assert.deepEqual(made[0]?.args, { zoneId, enabled: true, ...defaults, onDestroy: "keep" });
    const { rules, ...entrypoint } = made[4]?.args ?? {};
    assert.deepEqual(entrypoint, { zoneId, name: "shop rules", foreignRules: "keep", onDestroy: "keep" });
    const refs = Array.isArray(rules) && rules.map(({ ref }) => ref);
    assert.deepEqual(refs, each(sim.zone(zoneId).entrypoint?.rules, "ref"));
    const said = textOf(desk, "EXPORT.md");
    assert.match(said, /An exact duplicate of [0-9a-f]{32}: one is enough\./);
    assert.match(said, /Blocks 1 of 1 script or connection in use, from js\.example\.net\./);
  });

  it("given malicious scripts, hosts without items, or the previous WAF, then EXPORT.md says what is blocked, allowed and unknown", async () => {
    const desk = await open();
    const bad = { host: "blog.example.com", status: "active", js_integrity_score: 3 };
    const policy = (host: string, value: string) => ({
      action: "allow",
      description: host,
      value,
      expression: `http.host eq "${host}"`,
    });
    desk.sim.zones.seed(zoneId, {
      connections: 0,
      cookies: 0,
      waf: { stage: "validation" },
      policies: [policy("blog.example.com", "script-src 'self' *.example.org"), policy("www", "img-src *")],
      scripts: ["evil.example.net/a.js", "cdn.example.org/b.js"].map((at) => ({
        ...bad,
        url: `https://${at}`,
      })),
    });
    await desk.pageGuard(exportShop);
    desk.sim.faults.add({ method: "GET", query: "exclude_", kind: "status", status: 400 });
    await desk.pageGuard([...exportShop, "--out", "partly"]);
    const said = textOf(desk, "EXPORT.md") + readFileSync(join(desk.folder, "partly/EXPORT.md"), "utf8");
    for (const line of [
      /Blocks 1 of 2 scripts .*\(1 of them malicious\), from evil\.example\.net\./,
      /`blog-example-com`: \S*example\.org\S* allows something malicious: \S+cdn\.example\.org/,
      /The full impact is not known: nothing was seen on the hosts that the expression selects\./,
      /The full impact is not known: the service always leaves out/,
      /^- shop: The previous version of the WAF is still active in this zone\./m,
    ])
      assert.match(said, line);
  });

  it("given a part that the token may not read, then leaves it out and says so; given a wrong zone, then writes nothing", async () => {
    const desk = await open();
    desk.sim.zones.seed(zoneId, shop);
    desk.sim.faults.add({ kind: "status", status: 403, path: "/entrypoint" });
    const out = await printed(desk.pageGuard(exportShop), 0);
    assert.match(out, /left out: the WAF rules: /);
    assert.match(textOf(desk, "EXPORT.md"), /## Left out\n\n- shop: the WAF rules: /);
    const nowhere = await desk.pageGuard(["export", "--zone", "f".repeat(32), "--out", "other"]);
    assert.equal(nowhere.code, 1);
    assert.ok(!existsSync(join(desk.folder, "other")));
  });

  it("given an action that only one of the services knows, then leaves the policy out if the zone was read by the other one", async () => {
    const desk = await open();
    desk.sim.zones.seed(zoneId, { policies: [{ ...twin, action: "add_reporting_directives" }, twin] });
    const out = await printed(desk.pageGuard(exportShop), 0);
    assert.match(out, /left out: the policy .*exists on page_shield only/);
    assert.equal(ofKind(resourcesOf(join(desk.folder, "infra")), "CspPolicy").length, 1);
    const other = ["--out", "other", "--service", "page_shield"];
    assert.doesNotMatch(await printed(desk.pageGuard([...exportShop, ...other]), 0), / left out: /);
  });

  it("given a description that the engine would read as a mark, then the key of the policy has a hash of its id, too", async () => {
    const desk = await open();
    const mark = "4dabf18193072939515e22adb298388d";
    desk.sim.zones.seed(zoneId, { policies: [{ ...twin, description: mark.toUpperCase() }] });
    await printed(desk.pageGuard(["export", ...named, "--out", "infra"]), 0);
    const [made] = ofKind(resourcesOf(join(desk.folder, "infra")), "CspPolicySet");
    assert.match(Object.keys(Object(made?.args["policies"])).join(), new RegExp(`^${mark}-[0-9a-f]{6}$`));
  });

  it("given two zones in any order, then writes the same project, with zones sorted by name, zones.yaml, and an import of everything", async () => {
    const desk = await open();
    const other = "b".repeat(32);
    desk.sim.zones.seed(zoneId, shop);
    const entrypoint = { ...shop.entrypoint, rules: shop.entrypoint.rules.slice(0, 1) };
    desk.sim.zones.seed(other, { ...shop, policies: [twin], entrypoint });
    const names = ["--name", `${other}=blog`, "--name", `${zoneId}=shop`, "--out", "infra"];
    const first = await desk.pageGuard(["export", "--zone", zoneId, "--zone", other, ...names]);
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /^blog: settings, 1 policy, 1 WAF rule\nshop: settings, 3 policies, 2 WAF/m);
    const before = filesOf(desk);
    rmSync(join(desk.folder, "infra"), { recursive: true });
    await desk.pageGuard(["export", "--zone", other, "--zone", zoneId, ...names]);
    assert.deepEqual(filesOf(desk), before);
    assert.deepEqual(parse(textOf(desk, "zones.yaml")), [
      { id: other, name: "blog" },
      { id: zoneId, name: "shop" },
    ]);
    const { resources } = JSON.parse(textOf(desk, "import.json"));
    const imported = resources.map(({ name }: { name: string }) => name);
    const parts = ["settings", "policies", "waf"];
    assert.deepEqual(
      imported,
      ["blog", "shop"].flatMap((zone) => parts.map((part) => `${zone}-${part}`)),
    );
    assert.match(first.out, /^Next: cd infra && npm install .* && pulumi import --file import\.json /m);
    const { devDependencies } = JSON.parse(textOf(desk, "package.json"));
    assert.ok(devDependencies["page-guard"], "EXPORT.md continues with page-guard drift");
  });

  it("given a folder that is not empty, then writes nothing and sends no request; a repository without files counts as empty", async () => {
    const desk = await open();
    desk.sim.zones.seed(zoneId, shop);
    mkdirSync(join(desk.folder, "infra", ".git"), { recursive: true });
    assert.equal((await desk.pageGuard(exportShop)).code, 0);
    const before = filesOf(desk);
    const requests = desk.sim.journal.length;
    const again = await desk.pageGuard(exportShop);
    assert.equal(again.code, 1);
    assert.match(again.err, /--out takes a new or empty folder, and infra is not empty: it has /);
    assert.deepEqual([filesOf(desk), desk.sim.journal.length], [before, requests]);
  });

  it("given a folder or a file that cannot be written, then says so and asks for another name", async () => {
    const desk = await open();
    desk.sim.zones.seed(zoneId, shop);
    writeFileSync(join(desk.folder, "file"), "");
    for (const out of ["file", "file/deeper"]) {
      const err = await printed(desk.pageGuard(["export", "--zone", zoneId, "--out", out]), 1);
      assert.match(err, /^Failed to (?:write|read) .*: E[A-Z]+: .* \[PG_COMMAND\]\n$/);
    }
    for (const name of ["NUL", "index"]) {
      const err = await printed(desk.pageGuard([...exportShop, "--name", `${zoneId}=${name}`]), 1);
      assert.match(err, /Give the zone another name with --name ID=name\./);
      assert.ok(!existsSync(join(desk.folder, "infra")));
    }
  });

  it(`given ${randomZones} random zones, then each program type-checks, adopts everything and changes nothing`, async () => {
    const desk = await open();
    const { sim, folder } = desk;
    const folders: string[] = [];
    for (let seed = 1; seed <= randomZones; seed += 1) {
      const id = seed.toString(16).padStart(32, "0");
      sim.zones.seed(id, randomZone(seed));
      if (seed % 3 === 0) addUnknownFields(sim, id);
      const out = `random-${seed}`;
      // Every second zone has single policies, because both forms must adopt the zone's objects.
      const form = seed % 2 === 0 ? "single" : "set";
      await printed(desk.pageGuard(["export", "--zone", id, "--out", out, "--form", form]), 0);
      folders.push(join(folder, out));
      const made = resourcesOf(join(folder, out));
      const left = sim.zone(id).policies.filter(({ action }) => action === "something_new");
      const inSets = ofKind(made, "CspPolicySet").flatMap(({ args }) =>
        Object.keys(Object(args["policies"])),
      );
      const declared = ofKind(made, "CspPolicy").length + inSets.length;
      assert.equal(declared + left.length, sim.zone(id).policies.length, `seed ${seed}`);
      const hasRules = (sim.zone(id).entrypoint?.rules.length ?? 0) > 0;
      assert.equal(ofKind(made, "ManagedWafEntrypoint").length, hasRules ? 1 : 0, `seed ${seed}`);
      for (const kind of [pageGuardSettings, cspPolicy, cspPolicySet, managedWafEntrypoint])
        await adopts(sim, kind as Kind<unknown, object>, ofKind(made, kind.name), seed);
    }
    assert.deepEqual(typeErrors(folders, root), []);
  });
});

const named = ["--zone", zoneId, "--name", `${zoneId}=shop`];
const exportShop = ["export", ...named, "--out", "infra", "--form", "single"];

const twin = {
  description: "Checkout",
  action: "log",
  expression: 'http.host eq "shop.example.com"',
  value: "script-src 'self'; object-src 'none'",
};

const shop = {
  settings: { enabled: true },
  policies: [
    twin,
    twin,
    { ...twin, description: "", action: "allow", expression: 'http.host eq "blog.example.com"' },
  ],
  entrypoint: {
    name: "shop rules",
    rules: [
      { action: "skip", expression: "ip.src eq 192.0.2.1", action_parameters: { ruleset: "current" } },
      { action: "execute", expression: "true", ref: "managed", action_parameters: { id: "1".repeat(32) } },
    ],
  },
  scripts: [{ url: "https://js.example.net/a.js", host: "blog.example.com", status: "active" }],
  connections: 0,
  cookies: 0,
};

/** Asserts that the small engine adopts the programs' resources of one kind without a change, and plans nothing afterwards. */
async function adopts(
  sim: Simulator,
  kind: Kind<unknown, object>,
  resources: readonly Constructed[],
  seed: number,
) {
  const program: Program = Object.fromEntries(resources.map(({ name, args }) => [name, args]));
  const engine = new SmallEngine(sim, kind);
  const planned = await engine.preview(program);
  assert.deepEqual(
    planned,
    resources.map(({ name }) => `create ${name}`),
  );
  await engine.up(program);
  const changes = sim.changing().map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(changes, [], `seed ${seed}: taking over has changed something`);
  assert.deepEqual(await engine.preview(program), [], `seed ${seed}`);
  await engine.refresh();
  assert.deepEqual(await engine.preview(program), [], `seed ${seed}, after a refresh`);
}

function ofKind(made: readonly Constructed[], kind: string): readonly Constructed[] {
  return made.filter((one) => one.kind === kind);
}

function textOf({ folder }: Desk, file: string): string {
  return readFileSync(join(folder, "infra", file), "utf8");
}

function filesOf({ folder }: Desk): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(folder, "infra"), { recursive: true, encoding: "utf8" })
      .filter((file) => /\w\.\w+$/.test(file))
      .sort()
      // The export writes its own time as the start of a policy's logging time.
      .map((file) => [
        file,
        readFileSync(join(folder, "infra", file), "utf8").replace(/"2[0-9T:.-]{22}Z"/g, "TIME"),
      ]),
  );
}
