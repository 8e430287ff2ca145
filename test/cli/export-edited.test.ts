import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { bodyOf } from "../../provider/src/policies/declared-policy";
import { isSamePolicy } from "../../provider/src/policies/equal-policy";
import { declaredPolicySchema } from "../../provider/src/policies/policy-inputs";
import { type Desk, useDesk } from "./support/console";
import { randomZone, seeded } from "./support/random-zone";
import { resourcesOf } from "./support/written-program";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const randomZones = Number(process.env["ZONES"] ?? 10);
const main = "zones/shop.ts";
const beside = "zones/shop.new.ts";

describe("page-guard export beside files that a person has edited", () => {
  const open = useDesk();

  /** A folder with an export of the zone whose file was edited by a person. */
  async function edited(
    form: "set" | "single",
    edit: (text: string) => string = (text) => text,
  ): Promise<Story> {
    const desk = await open();
    desk.sim.zones.seed(zoneId, shop);
    const story = new Story(desk);
    await story.export("--zone", zoneId, "--name", `${zoneId}=shop`, "--form", form);
    story.edit((text) => `${edit(text)}// ours now\n`);
    return story;
  }

  it("given a rule of a colleague, then it counts as declared, and --check is content, once the file declares it", async () => {
    const story = await edited("set");
    assert.equal((await story.check()).code, 0, "a comment is no difference");
    story.addRule("Block the scanner");
    for (const _again of [1, 2, 3]) {
      const { out } = await story.export();
      assert.match(out, /^shop: settings, 2 policies, 2 of 3 WAF rules$/m);
      assert.match(out, /^1 difference in edited files: EXPORT\.md says what to do\.$/m);
      const report = story.text("EXPORT.md");
      assert.match(report, /\| shop \| .* \| 2 of 2 \| 2 of 3 \|/);
      assert.match(
        report,
        /shop: changed: ManagedWafEntrypoint `waf` \(`rules`\); not declared: `"Block the scanner"/,
      );
      assert.match(report, /edit `zones\/shop\.ts`, which an export does not change/);
      const { code, out: differs } = await story.check();
      assert.equal(code, 2);
      assert.match(
        differs,
        /^shop: changed ManagedWafEntrypoint waf: rules; not declared: "Block the scanner"/,
      );
    }
    story.edit((text) => text.replace("rules: [", `rules: [\n${story.rule("Block the scanner")},`));
    assert.equal((await story.check()).code, 2, "the zone has it at the end");
    story.edit((text) => text.replace(`\n${story.rule("Block the scanner")},`, ""));
    story.edit((text) =>
      text.replace(/\n {4}\],\n( {4}foreignRules)/, `${story.rule("Block the scanner")},\n    ],\n$1`),
    );
    assert.deepEqual(await story.check(), nothing);
    const { out } = await story.export();
    assert.match(out, /^shop: settings, 2 policies, 3 WAF rules$/m);
    assert.doesNotMatch(story.text("EXPORT.md"), /not declared|shop: changed/);
  });

  for (const form of ["set", "single"] as const) {
    it(`given a changed and a deleted policy (${form}), then both are listed until the file has them`, async () => {
      const story = await edited(form);
      const [checkout, blog] = story.policies();
      story.desk.sim.dashboard.putPolicy(zoneId, {
        ...checkout,
        value: "script-src 'self' https://js.example.net; object-src 'none'",
      });
      story.desk.sim.dashboard.deletePolicy(zoneId, String(blog?.policyId));
      for (const _again of [1, 2]) {
        await story.export();
        const { code, out } = await story.check();
        assert.equal(code, 2);
        assert.match(out, /^shop: changed CspPolicy checkout \([0-9a-f]{32}\): directives$/m);
        assert.match(out, /^shop: gone CspPolicy blog \([0-9a-f]{32}\)$/m);
      }
      assert.match(story.text("EXPORT.md"), /\| 1 of 1 \|/);
      assert.match(
        story.text("EXPORT.md"),
        /## Current values: shop\n\n```ts\n[^`]*https:\/\/js\.example\.net/,
      );
      story.edit((text) =>
        text.replace(`"script-src": ["'self'"]`, `"script-src": ["https://js.example.net", "'self'"]`),
      );
      assert.match((await story.check()).out, /^shop: gone CspPolicy blog \(.*\)\n$/);
      story.edit((text) =>
        text.replace(/\n *(new CspPolicy\(\n *"shop-blog"[\s\S]*?\n\);|blog: \{[\s\S]*?\n {6}\},)/, ""),
      );
      assert.deepEqual(await story.check(), nothing);
    });
  }

  it("given a file that is deleted, then nothing declares its objects until it is written again", async () => {
    const story = await edited("set");
    rmSync(story.path(main));
    const { code, out } = await story.check();
    assert.equal(code, 2);
    assert.match(out, /^shop: undeclared CspPolicy checkout /m);
    await story.export();
    assert.deepEqual(await story.check(), nothing);
  });

  it("given a policy that a person has taken out, then it counts no more, and is written nowhere", async () => {
    const story = await edited("single", (text) =>
      text.replace(/new CspPolicy\(\n {2}"shop-blog"[\s\S]*?\n\);\n/, ""),
    );
    for (const _again of [1, 2]) {
      const { out } = await story.export();
      assert.match(out, /^shop: settings, 1 of 2 policies, 2 WAF rules$/m);
      assert.ok(!existsSync(story.path(beside)));
      assert.match((await story.check()).out, /^shop: undeclared CspPolicy blog \([0-9a-f]{32}\)\n$/);
    }
    // A new one still goes beside; the other one stays out.
    story.desk.sim.dashboard.putPolicy(zoneId, {
      description: "Landing",
      expression: "true",
      value: "img-src *",
    });
    await story.export();
    assert.match(story.text(beside), /"shop-landing"/);
    assert.doesNotMatch(story.text(beside), /"shop-blog"/);
    assert.match((await story.check()).out, /^shop: undeclared CspPolicy blog \([0-9a-f]{32}\)\n$/);
  });

  it("given new objects beside an edited file, then they count where they are, and no longer once they are gone", async () => {
    const story = await edited("set");
    story.desk.sim.dashboard.putPolicy(zoneId, {
      description: "Landing",
      expression: "true",
      value: "img-src *",
    });
    assert.match((await story.check()).out, /^shop: new CspPolicy Landing \(/);
    assert.match((await story.export()).out, /^shop: settings, 3 policies, 2 WAF rules$/m);
    assert.deepEqual(await story.check(), nothing);
    const landing = story.text(beside);
    rmSync(story.path(beside));
    assert.match((await story.export()).out, /^shop: settings, 2 of 3 policies, 2 WAF rules$/m);
    assert.match((await story.check()).out, /^shop: undeclared CspPolicy landing \(/);
    // Moved into the set, under another key.
    story.edit((text) =>
      text.replace(
        "policies: {",
        `policies: {\n      start: { description: "Landing", action: "log", expression: "true", value: "img-src *" },`,
      ),
    );
    assert.deepEqual(await story.check(), nothing);
    assert.match((await story.export()).out, /^shop: settings, 3 policies, 2 WAF rules$/m);
    assert.ok(!existsSync(story.path(beside)), landing);
  });

  it("given a list of zones that a person has edited, then EXPORT.md says what it does not load", async () => {
    const story = await edited("set");
    appendFileSync(story.path("zones/index.ts"), "// ours, too\n");
    await story.export();
    assert.doesNotMatch(story.text("EXPORT.md"), /does not load/);
    story.desk.sim.dashboard.putPolicy(zoneId, {
      description: "Landing",
      expression: "true",
      value: "img-src *",
    });
    await story.export();
    const note = 'Your `zones/index.ts` does not load `shop.new.ts`: add `import "./shop.new";` to it.';
    assert.ok(story.text("EXPORT.md").includes(note));
  });

  it("given a device in the place of a zone's file, then it is not read, nor written", async () => {
    const story = await edited("set");
    rmSync(story.path(main));
    symlinkSync("/dev/zero", story.path(main));
    assert.match((await story.check()).out, /zones\/shop\.ts \(not valid TypeScript\) cannot be read/);
    const { code, err } = await story.run();
    assert.equal(code, 1);
    assert.match(err, /infra\/zones\/shop\.ts is a symbolic link/);
  });

  it("given both files edited, then what is new is in no file, and listed", async () => {
    const story = await edited("set");
    story.desk.sim.dashboard.putPolicy(zoneId, {
      description: "Landing",
      expression: "true",
      value: "img-src *",
    });
    await story.export();
    appendFileSync(story.path(beside), "// ours, too\n");
    story.desk.sim.dashboard.putPolicy(zoneId, {
      description: "Careers",
      expression: "true",
      value: "img-src *",
    });
    for (const _again of [1, 2]) {
      const { out } = await story.export("--json");
      const [{ inNoFile, unresolved }] = JSON.parse(out).zones;
      assert.equal(inNoFile.length, 1);
      assert.deepEqual(
        unresolved.map(({ what, name }: { what: string; name: string }) => [what, name]),
        [["new", "Careers"]],
      );
      assert.match(story.text("EXPORT.md"), /shop: new: CspPolicy `Careers`; no file declares it\n/);
      assert.match(story.text("EXPORT.md"), /"shop-careers"/);
    }
  });

  it("given a program in other words, other files and other names, then it is read", async () => {
    const story = await edited("set");
    writeFileSync(
      story.path("zones/common.ts"),
      `export const zones = { shop: { id: "${zoneId}" as const } };\nexport const self = ["'self'"];\n`,
    );
    writeFileSync(
      story.path("zones/checkout.ts"),
      `import * as guard from "pulumi-page-guard";
import { self as own, zones } from "./common";
const host = "shop.example.com";
const policy = { action: "log", enabled: true } as const;
export const checkout = new guard.CspPolicy("till", {
  ...policy, zoneId: zones.shop.id, description: \`Check\${"out"}\`, expression: 'http.host  eq "' + host + '"',
  value: "object-src 'none'; script-src 'self'",
});
export const all = { blog: new guard.CspPolicy("weblog", {
  zoneId: zones["shop"].id, description: "Blog", action: "allow", expression: ("true"),
  directives: { "script-src": [...own, "https://cdn.example.net"] },
}, { protect: true }) };
`,
    );
    story.edit(
      (text) =>
        `import "./checkout";\n${text.replace(/new CspPolicySet\([\s\S]*?\n\);\n/, "").replace("CspPolicySet, ", "")}`,
    );
    assert.deepEqual(await story.check(), nothing);
    assert.match((await story.export()).out, /^shop: settings, 2 policies, 2 WAF rules$/m);
    assert.ok(!existsSync(story.path(beside)));
    story.desk.sim.dashboard.putPolicy(zoneId, { ...story.policies()[0], expression: "false" });
    assert.match(
      (await story.check()).out,
      /^shop: changed CspPolicy checkout \([0-9a-f]{32}\): expression\n$/,
    );
  });

  it("given zones whose ids only running the program would tell, then names tell one from the other", async () => {
    const desk = await open();
    const other = "b".repeat(32);
    for (const id of [zoneId, other]) desk.sim.zones.seed(id, shop);
    const story = new Story(desk);
    const names = ["--name", `${zoneId}=shop`, "--name", `${other}=shop-eu`];
    await story.export("--zone", zoneId, "--zone", other, ...names);
    for (const slug of ["shop", "shop-eu"]) {
      const file = `zones/${slug}.ts`;
      const ids = "new Config().require";
      story.write(
        file,
        story
          .text(file)
          .replace(
            /const zoneId = .*;/,
            `import { Config } from "@pulumi/pulumi";\nconst zoneId = ${ids}("${slug}");`,
          ),
      );
    }
    assert.deepEqual(await story.check(), nothing);
    desk.sim.dashboard.setSettings(zoneId, { enabled: false });
    assert.equal((await story.check()).out, "shop: changed PageGuardSettings settings: enabled\n");
    // Without what the one declares it is not the other's.
    desk.sim.dashboard.setSettings(zoneId, { enabled: true });
    story.edit((text) => text.replace(/new PageGuardSettings\([\s\S]*?\n\);\n/, ""));
    const { out } = await story.check();
    assert.equal(
      out,
      `${nothing.out}zones/shop-eu.ts:7 cannot be read without running it: what was last written counts.\n`,
    );
    story.edit((text) => text.replace(/const zoneId = .*;/, `const zoneId = "${zoneId.toUpperCase()}";`));
    story.write(
      "zones/shop-eu.ts",
      story.text("zones/shop-eu.ts").replace(/const zoneId = .*;/, `const zoneId = "${other}";`),
    );
    assert.equal((await story.check()).out, "shop: undeclared PageGuardSettings settings\n");
  });

  it("given what only running the program would tell, then what was written counts, until a person vouches for it", async () => {
    const loop = `import { CspPolicy } from "pulumi-page-guard";
for (const [name, expression] of [["checkout", 'http.host eq "shop.example.com"'], ["blog", "true"]]) {
  new CspPolicy(name, { zoneId: process.env.ZONE ?? "", description: name, action: "log", expression, value: "script-src 'self'" });
}
`;
    const story = await edited(
      "set",
      (text) =>
        `${loop}${text.replace(/new CspPolicySet\([\s\S]*?\n\);\n/, "").replace("CspPolicySet, ", "")}`,
    );
    const unread = "zones/shop.ts:3 cannot be read without running it: what was last written counts.\n";
    assert.deepEqual(await story.check(), { code: 0, out: nothing.out + unread });
    story.desk.sim.dashboard.putPolicy(zoneId, { ...story.policies()[0], expression: "false" });
    for (const _again of [1, 2]) {
      await story.export();
      const { code, out } = await story.check();
      assert.equal(code, 2);
      assert.match(
        out,
        /^shop: changed CspPolicy checkout \(.*\): expression; zones\/shop\.ts:3 cannot be read\n/,
      );
    }
    assert.match(
      story.text("EXPORT.md"),
      /`zones\/shop\.ts:3` cannot be read without running it: .*`page-guard export --resolved`/,
    );
    await story.export("--resolved");
    assert.deepEqual(await story.check(), { code: 0, out: nothing.out + unread });
    // What can be read is not vouched for, nor what no compiler takes.
    story.addRule("Block the scanner");
    await story.export("--resolved");
    assert.equal((await story.check()).code, 2);
    story.edit((text) => `${text}<<<<<<< HEAD\n`);
    const broken = await story.run("--resolved");
    assert.equal(broken.code, 1);
    assert.match(broken.err, /zones\/shop\.ts \(not valid TypeScript\) cannot be read\. .* --resolved\./);
    const { code, err } = await story.run("--check", "--resolved");
    assert.equal(code, 1);
    assert.match(err, /--resolved.*cannot be used with.*--check/);
  });

  it("given lists that functions change, constants without an end and files that cannot be parsed, then none of it passes for what the file declares", async () => {
    const story = await edited("set");
    const exported = story.text(main);
    story.addRule("Block the scanner");
    for (const text of [
      exported
        .replace("new ManagedWafEntrypoint(", "const rules = [];\nrules.push({});\nnew ManagedWafEntrypoint(")
        .replace(/ {4}rules: \[[\s\S]*?\n {4}\],/, "    rules,"),
      exported
        .replace(/ {4}rules: \[[\s\S]*?\n {4}\],/, "    rules: endless,")
        .concat("const endless = [...endless];\n"),
      exported
        .replace(/ {4}rules: \[[\s\S]*?\n {4}\],/, "    rules: l30,")
        .concat(
          "const l0 = [1, 2];\n",
          ...Array.from(
            { length: 30 },
            (_, index) => `const l${index + 1} = [...l${index}, ...l${index}];\n`,
          ),
        ),
      `${exported}<<<<<<< HEAD\n`,
      `${exported}const deep = ${"(".repeat(50_000)}1${")".repeat(50_000)};\n`,
    ]) {
      story.write(main, text);
      const { code, out } = await story.check();
      assert.equal(code, 2, text.slice(-300));
      assert.match(out, /changed ManagedWafEntrypoint waf: rules; zones\/shop\.ts.* cannot be read/);
    }
  });

  it("given a file that is taken back to what was written, then it is the export's again", async () => {
    const story = await edited("single");
    const exported = story.text(main).replace("// ours now\n", "");
    story.write(main, exported.replace("\"'self'\"", '"\'self\'", "https://a.example"'));
    await story.export();
    story.write(main, exported);
    assert.deepEqual(await story.check(), nothing);
    story.addRule("Block the scanner");
    assert.match((await story.export()).out, /^shop: settings, 2 policies, 3 WAF rules$/m);
    assert.match(story.text(main), /Block the scanner/);
  });

  it("given an import file, then it records what files declare, in the form in which they do", async () => {
    const story = await edited("set", (text) => text.replace(/\n {6}blog: \{[\s\S]*?\n {6}\},/, ""));
    story.desk.sim.dashboard.putPolicy(zoneId, {
      description: "Landing",
      expression: "true",
      value: "img-src *",
    });
    await story.export("--import-file", "import.json");
    const { resources } = JSON.parse(readFileSync(join(story.desk.folder, "import.json"), "utf8"));
    const declared = resourcesOf(story.path("."));
    assert.deepEqual(
      resources
        .map(({ type, name }: { type: string; name: string }) => `${type.replace(/.*:/, "")} ${name}`)
        .sort(),
      declared.map(({ kind, name }) => `${kind} ${name}`).sort(),
    );
    const set = resources.find(({ name }: { name: string }) => name === "shop-policies");
    assert.deepEqual(Object.keys(set.inputs.policies), ["checkout"]);
  });

  it(`given ${randomZones} random zones, colleagues and edits, then --check is content when the program declares what the zone has, and only then`, async function () {
    this.timeout(240_000);
    for (let seed = 1; seed <= randomZones; seed += 1) {
      const random = seeded(seed);
      const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
      const desk = await open();
      desk.sim.zones.seed(zoneId, randomZone(seed));
      const story = new Story(desk);
      const form = seed % 2 === 0 ? "single" : "set";
      await story.export("--zone", zoneId, "--name", `${zoneId}=shop`, "--form", form);
      story.edit((text) => `${text}// ours now\n`);
      assert.deepEqual(await story.check(), nothing, `seed ${seed}`);
      const { sim } = desk;
      for (let step = 1; step <= 6; step += 1) {
        const policy = pick(sim.zone(zoneId).policies);
        const rule = pick(sim.zone(zoneId).entrypoint?.rules ?? []);
        const act = pick([
          () =>
            sim.dashboard.putPolicy(zoneId, {
              description: `Added ${step}`,
              expression: "true",
              value: "img-src *",
            }),
          () => policy && sim.dashboard.deletePolicy(zoneId, policy.id),
          () =>
            policy &&
            sim.dashboard.putPolicy(zoneId, { ...policy, value: `img-src https://${step}.example` }),
          () => story.addRule("Block the scanner", `colleague-${step}`, random() < 0.5 ? 0 : undefined),
          () => rule && sim.dashboard.deleteRule(zoneId, rule.id),
          () => sim.dashboard.setSettings(zoneId, { enabled: random() < 0.5 }),
          () => rmSync(story.path(main), { force: true }),
          () => rmSync(story.path(beside), { force: true }),
          () => story.write(main, story.text(main).replace(/new CspPolicy\([\s\S]*?\n\);\n/, "")),
          () => existsSync(story.path(beside)) && appendFileSync(story.path(beside), "// ours, too\n"),
        ]);
        act?.();
        const { out } = await story.export("--json");
        const keys = JSON.parse(out).zones[0].objects.map(({ key }: { key: string }) => key);
        const { code, out: differs } = await story.check();
        assert.equal(code === 0, isDeclared(story, keys), `seed ${seed}, step ${step}: ${differs}`);
      }
    }
  });

  it("given a program of its own that declares a policy already, then it is not declared a second time", async () => {
    const desk = await open();
    desk.sim.zones.seed(zoneId, shop);
    const story = new Story(desk);
    await story.export("--zone", "f".repeat(32)).catch(() => undefined);
    await story.export("--zone", zoneId, "--name", `${zoneId}=shop`, "--form", "single");
    const policy = /new CspPolicy\(\n {2}"shop-blog"[\s\S]*?\n\);\n/.exec(story.text(main))?.[0] ?? "";
    story.write(
      "index.ts",
      `import { CspPolicy } from "pulumi-page-guard";\nimport "./zones";\nconst zoneId = "${zoneId}";\n${policy}`,
    );
    for (const file of [main, "page-guard.names.json", "zones/index.ts"]) rmSync(story.path(file));
    await story.export("--zone", zoneId, "--name", `${zoneId}=shop`, "--form", "single");
    assert.doesNotMatch(story.text(main), /shop-blog/);
    assert.match(story.text("EXPORT.md"), /\| 2 of 2 \|/);
    assert.deepEqual(await story.check(), nothing);
  });
});

/** What an edited program declares, by running it: whether that is what the zone has, object for object. */
function isDeclared(story: Story, keys: readonly string[]): boolean {
  const { policies, settings, entrypoint } = story.desk.sim.zone(zoneId);
  const made = resourcesOf(story.path("."));
  const argsOf = (kind: string) => made.filter((one) => one.kind === kind).map(({ args }) => args);
  const bodies = [
    ...argsOf("CspPolicy"),
    ...argsOf("CspPolicySet").flatMap((args) =>
      Object.entries(Object(args["policies"])).map(([description, entry]) => ({
        description,
        ...Object(entry),
      })),
    ),
  ].map((args) => bodyOf(declaredPolicySchema.parse(args)));
  const live = policies.filter(({ id }) => keys.includes(id));
  const isWhole = live.every((policy) => {
    const index = bodies.findIndex((body) => isSamePolicy(body, { ...body, ...policy }));
    if (index >= 0) bodies.splice(index, 1);
    return index >= 0;
  });
  const [switches] = argsOf("PageGuardSettings");
  const rules = argsOf("ManagedWafEntrypoint").flatMap((args) => {
    const list: unknown = args["rules"];
    return Array.isArray(list) ? list : [];
  });
  return (
    isWhole &&
    bodies.length === 0 &&
    switches?.["enabled"] === settings.enabled &&
    isDeepStrictEqual(
      rules.map(({ ref }) => ref),
      (entrypoint?.rules ?? []).map(({ ref }) => ref),
    )
  );
}

const nothing = { code: 0, out: "No differences between zones and files.\n" };

const shop = {
  settings: { enabled: true },
  policies: [
    {
      description: "Checkout",
      action: "log",
      expression: 'http.host eq "shop.example.com"',
      value: "script-src 'self'; object-src 'none'",
    },
    {
      description: "Blog",
      action: "allow",
      expression: "true",
      value: "script-src 'self' https://cdn.example.net",
    },
  ],
  entrypoint: {
    rules: [
      { action: "skip", expression: "ip.src eq 192.0.2.1", action_parameters: { ruleset: "current" } },
      { action: "execute", expression: "true", ref: "managed", action_parameters: { id: "1".repeat(32) } },
    ],
  },
  scripts: 0,
  connections: 0,
  cookies: 0,
};

class Story {
  constructor(readonly desk: Desk) {}

  run(...args: readonly string[]) {
    return this.desk.pageGuard(["export", "--out", "infra", ...args]);
  }

  async export(...args: readonly string[]) {
    const ended = await this.run(...args);
    assert.equal(ended.code, 0, ended.err);
    return ended;
  }

  async check() {
    const { code, out, err } = await this.run("--check");
    assert.ok(code === 0 || code === 2, err);
    return { code, out };
  }

  path(file: string): string {
    return join(this.desk.folder, "infra", file);
  }

  text(file: string): string {
    return readFileSync(this.path(file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(this.path(file), text);
  }

  edit(change: (text: string) => string): void {
    const before = this.text(main);
    const after = change(before);
    assert.notEqual(after, before, "the edit changes something");
    this.write(main, after);
  }

  policies() {
    return this.desk.sim.zone(zoneId).policies.map(({ id, ...policy }) => ({ ...policy, id, policyId: id }));
  }

  addRule(description: string, ref = "colleague", position?: number): void {
    const skip = { action: "skip", action_parameters: { ruleset: "current" }, expression: "true" };
    this.desk.sim.dashboard.addRule(zoneId, { ...skip, description, ref }, position);
  }

  rule(description: string): string {
    return `{ action: "skip", actionParameters: { extra: { ruleset: "current" } }, expression: "true", description: "${description}", ref: "colleague" }`;
  }
}
