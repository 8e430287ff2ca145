import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Simulator } from "../../simulator/src";
import { type Desk, printed, useDesk, zoneId } from "./support/console";
import { addUnknownFields, randomZone } from "./support/random-zone";
import { type Constructed, resourcesOf } from "./support/written-program";

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

/** Characters that a program must not contain, and commands for a CI. */
const unsafe = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{NChar}]|##\[|^\s*::/mu;

describe("page-guard export --language", () => {
  const open = useDesk();

  /** Exports one zone in TypeScript and in another language. Returns the TypeScript resources and the other folder. */
  async function bothOf(desk: Desk, zone: string, language: Language, form: string) {
    const flags = ["export", "--zone", zone, "--name", `${zone}=shop`, "--form", form];
    const read = async (name: string, out: string) => {
      await printed(desk.pageGuard([...flags, "--language", name, "--out", out]), 0);
      return join(desk.folder, out);
    };
    const expected = resourcesOf(await read("typescript", `${zone}-typescript`));
    return { expected, folder: await read(language, `${zone}-${language}`) };
  }

  for (const [language, declared] of [
    ["yaml", inYaml],
    ["python", inPython],
    ["go", inGo],
  ] as const) {
    it(`given hostile texts and ${randomZones} random zones, then the ${language} program declares the same as the TypeScript program`, async function () {
      skipWithout(this, language);
      const desk = await open();
      seedHostile(desk.sim);
      for (let number = 0; number <= randomZones; number += 1) {
        const zone = number === 0 ? zoneId : number.toString(16).padStart(32, "0");
        if (number > 0) desk.sim.zones.seed(zone, randomZone(number));
        if (number % 3 === 1) addUnknownFields(desk.sim, zone);
        const { expected, folder } = await bothOf(desk, zone, language, number % 2 ? "single" : "set");
        assert.deepEqual(declared(folder), expected.map(shape[language]), `seed ${number}`);
        if (number === 0) assert.equal(expected.length, 3, "nothing was left out");
        for (const file of filesOf(folder)) assert.doesNotMatch(readFileSync(file, "utf8"), unsafe);
      }
    });
  }

  /** Exports two zones to a program in this language. */
  async function exportBoth(language: string) {
    const desk = await open();
    for (const id of [zoneId, other]) desk.sim.zones.seed(id, seeded);
    const run = (out: string) =>
      desk.pageGuard([
        ...["export", "--out", out, "--language", language, "--zone", zoneId, "--zone", other],
        ...["--name", `${zoneId}=shop`, "--name", `${other}=blog`],
      ]);
    await printed(run("infra"), 0);
    const path = (file: string) => join(desk.folder, "infra", file);
    const textOf = (file: string) => readFileSync(path(file), "utf8");
    return { ...desk, run, path, textOf };
  }

  it("given a key that would call a function in YAML, then the object is left out, and the output says so", async () => {
    const { sim, folder, run } = await exportBoth("yaml");
    const rules = [{ action: "execute", expression: "true", action_parameters: { id: "1".repeat(32) } }];
    sim.dashboard.putEntrypoint(other, { rules });
    sim.edit(other, ({ entrypoint }) => {
      Object.assign(entrypoint?.rules[0]?.action_parameters ?? {}, { "Fn::ReadFile": "/etc/passwd" });
    });
    const { out } = await run("again");
    assert.match(out, /left out: the WAF rules: one of its keys begins with fn::, /);
    assert.doesNotMatch(readFileSync(join(folder, "again", "Main.yaml"), "utf8"), /fn::/i);
  });

  it("given two zones, then the project of the plugin contains both, and a file that imports them", async () => {
    const { path, textOf } = await exportBoth("python");
    for (const file of ["Pulumi.yaml", "__main__.py", "package.json", "zones/blog.py", "zones/shop.py"])
      assert.ok(existsSync(path(file)), file);
    const { resources } = JSON.parse(textOf("import.json"));
    const parts = ["PageGuardSettings %-settings", "CspPolicySet %-policies"];
    assert.deepEqual(
      resources.map(({ type, name }: Record<string, string>) => `${type} ${name}`),
      ["blog", "shop"].flatMap((zone) => parts.map((part) => `page-guard:index:${part.replace("%", zone)}`)),
    );
    assert.match(
      textOf("EXPORT.md"),
      /^npm install\npulumi install .*\npulumi stack init .*\npulumi import --file /m,
    );
  });
});

type Language = "yaml" | "python" | "go";

/** Gives the zone hostile texts wherever the service accepts a text. */
function seedHostile(sim: Simulator): void {
  const rule = { action: "execute", expression: "true" };
  sim.zones.seed(zoneId, {
    scripts: 0,
    connections: 0,
    cookies: 0,
    policies: hostile.map((description) => ({
      description,
      expression: `http.host eq ${JSON.stringify(description)}`,
      value: `script-src 'self'; ${"x".repeat(50)} y`,
    })),
    entrypoint: {
      name: hostile.join(" "),
      rules: [{ ...rule, description: hostile.join("\n"), action_parameters: { id: "1".repeat(32) } }],
    },
  });
  sim.edit(zoneId, ({ entrypoint }) => {
    const [rule] = entrypoint?.rules ?? [];
    const odd = hostile
      .filter((text) => !text.startsWith("fn::"))
      .map((text) => [text, [text, null, 1.5e21, -1]]);
    Object.assign(rule?.action_parameters ?? {}, { odd: Object.fromEntries(odd) });
  });
}

const same = { expression: "true", value: "script-src 'self'" };
const policies = ["blog", "checkout"].map((description) => ({ description, ...same }));
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

/** Returns the resources that Pulumi would evaluate a YAML program to. */
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

/** Replaces `$$` by `$`, from left to right. Asserts that the text contains no reference. */
function literal(text: string): string {
  return text.replace(/\$\$|\$\{/g, (mark) => {
    assert.equal(mark, "$$", text);
    return "$";
  });
}

/** Runs a Python program with an SDK that only records its calls. */
function inPython(folder: string): readonly unknown[] {
  const options =
    "class ResourceOptions:\n    def __init__(self, **options):\n        self.options = options\n";
  writeFileSync(join(folder, "pulumi.py"), options);
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

/** Returns the strings of a Go program, which `gofmt` must be able to parse. */
function inGo(folder: string): readonly unknown[] {
  const files = filesOf(folder).filter((file) => file.endsWith(".go"));
  const { stderr } = spawnSync("gofmt", ["-e", "-l", ...files], { encoding: "utf8" });
  assert.equal(stderr, "");
  const program = readFileSync(join(folder, "zones", "shop.go"), "utf8");
  return program
    .split("if _, err := ")
    .slice(1)
    .map((code) => [...code.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => JSON.parse(ofGo(text))));
}

function ofGo(text: string): string {
  return text.replace(/\\U([0-9a-f]{8})/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));
}

/** Converts a TypeScript resource to its form in a language. */
const shape: Readonly<Record<Language, (resource: Constructed) => unknown>> = {
  yaml: (resource: Constructed) => resource,
  python: ({ args, ...rest }: Constructed) => ({ ...rest, args: snaked(args) }),
  go: ({ name, args }: Constructed) => {
    const { zoneId: _, ...rest } = args;
    return [name, ...textsOf(rest)];
  },
};

/** Converts names of arguments and fields to snake case, except names that a person has chosen. */
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

/** Returns the strings in a value, including the keys that are strings in Go. */
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
