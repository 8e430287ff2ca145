import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Simulator } from "../../provider/src/simulator";
import { type Desk, useDesk } from "./support/console";
import { addUnknownFields, randomZone } from "./support/random-zone";
import { type Constructed, resourcesOf } from "./support/written-program";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const other = "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf";

const randomZones = Number(process.env["ZONES"] ?? 10);

const hostile = [
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Pulumi evaluates it in YAML.
  "${zoneId} $${zoneId} $$ $",
  "$(id) `id` #{id} %s {{ x }} \\u0041 \\",
  "\"'''\"\"\" \\' */ // # <!--",
  "tag \u{e0041} private \u{f0000} \ue000 noncharacter \ufffe\uffff \u{1fffe}",
  "\u0001\u0008\u000c\u001b\u007f\u0085\u00a0\u2028\ufeff",
  " leading: and trailing - ",
  "- a\n? b\n: c",
  "yes",
  "null",
  "2026-01-02",
  "0x1f",
  "fn::secret",
  "long ".repeat(199),
];

describe("page-guard export --language", () => {
  const open = useDesk();

  /** What the programs declare of one zone, in TypeScript and in another language. */
  async function bothOf(desk: Desk, zone: string, language: Language, form = "set") {
    const flags = ["export", "--zone", zone, "--name", `${zone}=shop`, "--form", form];
    const read = async (name: string, out: string) => {
      const { code, err } = await desk.pageGuard([...flags, "--language", name, "--out", out]);
      assert.equal(code, 0, err);
      return join(desk.folder, out);
    };
    return {
      expected: resourcesOf(await read("typescript", `${zone}-typescript`)),
      folder: await read(language, `${zone}-${language}`),
    };
  }

  function seed(sim: Simulator, zone: string, number: number): void {
    sim.zones.seed(zone, randomZone(number));
    if (number % 3 === 0) addUnknownFields(sim, zone);
  }

  for (const [language, declared] of [
    ["yaml", inYaml],
    ["python", inPython],
    ["go", inGo],
  ] as const) {
    it(`given ${randomZones} random zones, then the program in ${language} declares what the one in TypeScript does`, async function () {
      skipWithout(this, language);
      const desk = await open();
      for (let number = 1; number <= randomZones; number += 1) {
        const zone = number.toString(16).padStart(32, "0");
        seed(desk.sim, zone, number);
        const { expected, folder } = await bothOf(desk, zone, language, number % 2 ? "set" : "single");
        assert.deepEqual(declared(folder), expected.map(shape[language]), `seed ${number}`);
      }
    });

    it(`given hostile texts, then the program in ${language} has each of them as it is`, async function () {
      skipWithout(this, language);
      const desk = await open();
      desk.sim.zones.seed(zoneId, {
        ...{ scripts: 0, connections: 0, cookies: 0 },
        policies: hostile.map((description) => ({
          description,
          expression: `http.host eq ${JSON.stringify(description)}`,
          value: `script-src 'self'; ${"x".repeat(50)} y`,
        })),
        entrypoint: {
          name: hostile.join(" "),
          rules: [
            {
              action: "execute",
              expression: "true",
              description: hostile.join("\n"),
              action_parameters: { id: "1".repeat(32) },
            },
          ],
        },
      });
      desk.sim.edit(zoneId, ({ entrypoint }) => {
        const [rule] = entrypoint?.rules ?? [];
        const odd = hostile.filter((text) => !text.startsWith("fn::"));
        Object.assign(rule?.action_parameters ?? {}, {
          odd: Object.fromEntries(odd.map((text) => [text, [text, null, 1.5e21, -1]])),
        });
      });
      const { expected, folder } = await bothOf(desk, zoneId, language);
      assert.equal(expected.length, 3, "nothing was left out");
      assert.deepEqual(declared(folder), expected.map(shape[language]));
      for (const file of filesOf(folder)) {
        assert.doesNotMatch(
          readFileSync(file, "utf8"),
          /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Co}]|##\[|::stop/u,
        );
      }
    });
  }

  /** Two zones, exported to a program in that language. */
  async function exported(language: string) {
    const desk = await open();
    const run = (...flags: readonly string[]) => desk.pageGuard(["export", "--out", "infra", ...flags]);
    for (const id of [zoneId, other]) desk.sim.zones.seed(id, seeded);
    const names = ["--name", `${zoneId}=shop`, "--name", `${other}=blog`];
    const { code, err } = await run("--zone", zoneId, "--zone", other, ...names, "--language", language);
    assert.equal(code, 0, err);
    const path = (file: string) => join(desk.folder, "infra", file);
    const textOf = (file: string) => readFileSync(path(file), "utf8");
    const add = (id: string, description: string) =>
      desk.sim.dashboard.putPolicy(id, { description, expression: "true", value: "img-src *" });
    return { ...desk, run, path, textOf, add };
  }

  it("given a program in YAML, then one file has all zones, also after an export of one of them", async () => {
    const { run, textOf, add } = await exported("yaml");
    const before = textOf("Main.yaml");
    assert.deepEqual((await run("--check")).out, "No differences between zones and files.\n");
    await run("--zone", zoneId);
    assert.equal(textOf("Main.yaml"), before);
    add(other, "landing");
    assert.match((await run("--check", "--zone", zoneId)).out, /^blog: new CspPolicy landing/m);
    await run("--zone", zoneId);
    assert.match(textOf("Main.yaml"), /landing:\n/);
    assert.match(textOf("EXPORT.md"), /\| shop \| .* \| `Main\.yaml` \|/);
  });

  it("given an edited program in YAML, then it is read and left alone: what is new is in EXPORT.md", async () => {
    const { run, path, textOf, add, sim } = await exported("yaml");
    const edited = textOf("Main.yaml")
      .replace("blog-policies:", "renamed:")
      .replace(/$/, "  bucket:\n    type: aws:s3:Bucket\n");
    writeFileSync(path("Main.yaml"), edited);
    assert.deepEqual((await run("--check")).out, "No differences between zones and files.\n");
    add(zoneId, "landing page $");
    const [blog] = sim.zone(other).policies;
    sim.dashboard.putPolicy(other, { ...blog, value: "script-src 'none'" });
    assert.equal((await run("--check")).code, 2);
    await run();
    assert.equal(textOf("Main.yaml"), edited);
    const report = textOf("EXPORT.md");
    assert.match(report, /shop: new: CspPolicy `landing page \$`; no file declares it/);
    assert.match(report, /```yaml\nshop-landing-page:\n {2}type: page-guard:CspPolicy\n/);
    assert.match(report, /description: "landing page \$\$"/);
    assert.match(report, /blog: changed: CspPolicy `blog` \(`directives`\); edit `Main\.yaml`/);
    const fixed = edited
      .replace(/(renamed:[\s\S]*?script-src: \[)"'self'"/, "$1\"'none'\"")
      .replace(
        "      policies:\n",
        `      policies:\n        landing-page: { description: landing page $$, action: log, expression: "true", value: "img-src *" }\n`,
      );
    writeFileSync(path("Main.yaml"), fixed);
    assert.deepEqual((await run("--check")).out, "No differences between zones and files.\n");
  });

  for (const [what, change] of [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Pulumi evaluates it.
    ["a reference", (text: string) => text.replace(`"true"`, "${expression}")],
    ["a call", (text: string) => text.replace(`"true"`, `{ "fn::secret": "true" }`)],
  ] as const) {
    it(`given an edited program in YAML with ${what}, then what was written counts`, async () => {
      const { run, path, textOf } = await exported("yaml");
      writeFileSync(path("Main.yaml"), change(textOf("Main.yaml")));
      const { code, out } = await run("--check");
      assert.equal(code, 0, out);
      assert.match(out, /Main\.yaml:\d+ cannot be read without running it/);
    });
  }

  for (const text of [
    "a: &a [*a]\n",
    "resources: [1]\n",
    "resources:\n  x: {}\n",
    "{",
    `a: &a [1]\nresources: {x: {type: t, properties: {a: [${"*a,".repeat(200)}]}}}\n`,
  ]) {
    it(`given ${text.slice(0, 30)} in place of a program in YAML, then it cannot be read`, async () => {
      const { run, path } = await exported("yaml");
      writeFileSync(path("Main.yaml"), text);
      assert.match((await run("--check")).out, /Main\.yaml \(not a valid program in YAML\) cannot be read/);
      assert.match((await run("--resolved")).err, /Main\.yaml .* cannot be read\. Fix it/);
    });
  }

  it("given a folder with a program in Pulumi.yaml, then nothing is written: Pulumi would ignore that program", async () => {
    const { sim, folder, pageGuard } = await open();
    sim.zones.seed(zoneId, seeded);
    mkdirSync(join(folder, "infra"));
    writeFileSync(join(folder, "infra", "Pulumi.yaml"), "name: x\nruntime: yaml\nresources:\n  a: {}\n");
    const { code, err } = await pageGuard([
      "export",
      "--zone",
      zoneId,
      "--language",
      "yaml",
      "--out",
      "infra",
    ]);
    assert.equal(code, 1);
    assert.match(err, /has a program already, and Pulumi would ignore it beside Main\.yaml/);
    assert.deepEqual(readdirSync(join(folder, "infra")), ["Pulumi.yaml"]);
  });

  it("given a key that calls a function in YAML, then the object is left out, and said", async () => {
    const { sim, run, textOf } = await exported("yaml");
    const rules = [{ action: "execute", expression: "true", action_parameters: { id: "1".repeat(32) } }];
    sim.dashboard.putEntrypoint(other, { rules });
    sim.edit(other, ({ entrypoint }) => {
      Object.assign(entrypoint?.rules[0]?.action_parameters ?? {}, { "Fn::ReadFile": "/etc/passwd" });
    });
    const { out } = await run();
    assert.match(out, /left out: the WAF rules: it has a key that a program in YAML cannot have: fn:: /);
    assert.doesNotMatch(textOf("Main.yaml"), /fn::/i);
  });

  for (const [language, main, beside] of [
    ["python", "zones/shop.py", "zones/shop__new.py"],
    ["go", "zones/shop.go", "zones/shop.new.go"],
  ] as const) {
    it(`given an edited program in ${language}, then it is left alone: new objects go beside it, and what was written counts`, async () => {
      const { run, path, textOf, add } = await exported(language);
      appendFileSync(path(main), "\n");
      const edited = textOf(main);
      const unread = `${main} cannot be read without running it: what was last written counts.`;
      assert.deepEqual([(await run("--check")).code, (await run("--check")).out.includes(unread)], [0, true]);
      add(zoneId, "landing");
      await run();
      assert.equal(textOf(main), edited);
      assert.match(textOf(beside), /"shop-landing"/);
      assert.equal((await run("--check")).code, 0);
      // A person moves it to where it belongs.
      rmSync(path(beside));
      assert.equal((await run("--check")).code, 0);
      await run();
      assert.ok(!existsSync(path(beside)));
    });
  }

  it("given a folder with a program in another language, then it is not changed", async () => {
    const { run, path } = await exported("python");
    const { code, err } = await run("--language", "go");
    assert.equal(code, 1);
    assert.match(err, /infra has a program in python\. Name another folder with --out for one in go\./);
    assert.ok(!existsSync(path("go.mod")));
  });

  for (const [language, files] of [
    ["yaml", ["Pulumi.yaml"]],
    ["python", ["Pulumi.yaml", "__main__.py", "zones/__init__.py"]],
    ["go", ["Pulumi.yaml", "main.go"]],
  ] as const) {
    it(`given a project in ${language} that is there, then EXPORT.md says what it lacks`, async () => {
      const { run, path, textOf } = await exported(language);
      const notes = /^(?:Your|The runtime in your) `.*`.*$/gm;
      assert.deepEqual(textOf("EXPORT.md").match(notes), null);
      // One line for each file, a second for `Pulumi.yaml`, and one for each zone's file.
      for (const file of files) writeFileSync(path(file), "name: mine\n");
      await run();
      const zoneNotes = language === "python" ? 1 : 0;
      assert.equal(textOf("EXPORT.md").match(notes)?.length, files.length + 1 + zoneNotes);
      assert.equal(textOf("Pulumi.yaml"), "name: mine\n");
    });
  }
});

type Language = "yaml" | "python" | "go";

const policies = ["blog", "checkout"].map((description) => ({
  description,
  expression: "true",
  value: "script-src 'self'",
}));
const seeded = { scripts: 0, connections: 0, cookies: 0, policies };

function skipWithout(test: Mocha.Context, language: Language): void {
  const tool = { yaml: undefined, python: "python3", go: "gofmt" }[language];
  if (tool === undefined || spawnSync(tool, ["-h"]).error === undefined) return;
  console.warn(`\n  !! SKIPPED: ${tool} is not on PATH, so no program in ${language} was read\n`);
  test.skip();
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:yaml|py|go)$/.test(file))
    .map((file) => join(folder, file));
}

/** What Pulumi evaluates a program in YAML to. */
function inYaml(folder: string): readonly unknown[] {
  const { resources } = parse(readFileSync(join(folder, "Main.yaml"), "utf8"));
  return Object.entries<{ type: string; properties: object; options: object }>(resources).map(
    ([name, { type, properties, options }]) => ({
      kind: type.replace("page-guard:", ""),
      name,
      args: interpolated(properties),
      options,
    }),
  );
}

function interpolated<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, part) => {
    if (typeof part === "string") return literal(part);
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, entry]) => {
        assert.doesNotMatch(key, /^fn::/i);
        return [literal(key), entry];
      }),
    );
  });
}

/** Left to right: `$$` is a `$`, and nothing may begin a reference. */
function literal(text: string): string {
  return text.replace(/\$\$|\$\{/g, (mark) => {
    assert.equal(mark, "$$", text);
    return "$";
  });
}

/** Runs a program in Python, with an SDK that only writes down what it is called with. */
function inPython(folder: string): readonly unknown[] {
  writeFileSync(
    join(folder, "pulumi.py"),
    "class ResourceOptions:\n    def __init__(self, **options):\n        self.options = options\n",
  );
  writeFileSync(
    join(folder, "pulumi_page_guard.py"),
    [
      "import atexit, json",
      "made = []",
      "def __getattr__(kind):",
      "    if kind.startswith('_'): raise AttributeError(kind)",
      "    return lambda resource, /, *, opts, **args: made.append(",
      "        {'kind': kind, 'name': resource, 'args': args, 'options': opts.options})",
      "atexit.register(lambda: print(json.dumps(made)))",
    ].join("\n"),
  );
  const { stdout, stderr } = spawnSync("python3", ["-B", "-I", "-c", start, folder], { encoding: "utf8" });
  assert.equal(stderr, "");
  return JSON.parse(stdout);
}

const start =
  "import runpy, sys; sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[1] + '/__main__.py')";

/** The texts of a program in Go, whose format is the one of gofmt. */
function inGo(folder: string): readonly unknown[] {
  const { stdout, stderr } = spawnSync(
    "gofmt",
    ["-d", ...filesOf(folder).filter((file) => file.endsWith(".go"))],
    { encoding: "utf8" },
  );
  assert.deepEqual([stdout, stderr], ["", ""]);
  const program = readFileSync(join(folder, "zones", "shop.go"), "utf8");
  return program
    .split("if _, err := ")
    .slice(1)
    .map((code) => [...code.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => JSON.parse(ofGo(text))));
}

function ofGo(text: string): string {
  return text.replace(/\\U([0-9a-f]{8})/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));
}

/** What a language makes of a resource. */
const shape: Readonly<Record<Language, (resource: Constructed) => unknown>> = {
  yaml: (resource: Constructed) => resource,
  python: ({ args, ...rest }: Constructed) => ({ ...rest, args: snaked(args) }),
  go: ({ name, args }: Constructed) => {
    const { zoneId: _, ...rest } = args;
    return [name, ...textsOf(rest)];
  },
};

/** Names of arguments and fields in snake case, and names that a person chose as they are. */
function snaked(value: unknown, isFree = false): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => snaked(item, isFree));
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      isFree ? key : key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      key === "policies"
        ? Object.fromEntries(Object.entries(Object(part)).map(([name, policy]) => [name, snaked(policy)]))
        : snaked(part, isFree || key === "directives" || key === "extra"),
    ]),
  );
}

/** The texts in a value, with the keys that are texts in Go. */
function textsOf(value: unknown, isFree = false): readonly unknown[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    if (key === "policies" && !isFree)
      return Object.entries(Object(part)).flatMap(([name, policy]) => [name, ...textsOf(policy)]);
    const isText = isFree && !Array.isArray(value);
    return [...(isText ? [key] : []), ...textsOf(part, isFree || key === "directives" || key === "extra")];
  });
}
