import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { root, textOf } from "../workspace/structure/source-files";
import { outputOf, secret, settings } from "./real-engine/declaration";
import { changesOf } from "./real-engine/preview";
import type { Stack } from "./real-engine/stack";
import { useStories, zoneA, zoneWithPolicy } from "./real-engine/story";

/** The most lines that the files of a resource may have, without its lines in kinds.ts, runtime.ts and index.ts. */
const mostLines = 63;

/** Code that CONTRIBUTING.md gives, by the path below provider/src. */
const pieces = new Map(
  [...textOf("CONTRIBUTING.md").matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, path = "", text = ""]) => [path, text],
  ),
);

/** The new files, and the existing ones with the added code. */
const texts = new Map(
  [...pieces].map(([path, text]) => [
    path,
    path.includes("csp-note/") ? text : withPiece(textOf(`provider/src/${path}`), path, text),
  ]),
);

describe("The resource in CONTRIBUTING.md", function () {
  const begin = useStories(this);

  it("is short", () => {
    const own = [...pieces].filter(([path]) => path.startsWith("resources/csp-note/"));
    const lines = own.flatMap(([, text]) => text.trimEnd().split("\n"));
    assert.equal(own.length, 3);
    assert.ok(lines.length <= mostLines, `it has ${lines.length} lines`);
  });

  it("is created, edited, refreshed and destroyed on the engine, with a secret and an unknown input", async () => {
    const { sim, stack } = await begin({ [zoneA]: zoneWithPolicy });
    await addTo(stack);
    const declare = (description: string) =>
      stack.declare({
        watch: settings({ zoneId: zoneA, enabled: true }),
        note: {
          kind: "CspNote",
          args: {
            zoneId: outputOf("watch", "id"),
            description: secret(description),
            value: "img-src 'none'",
          },
          options: {},
        },
      });
    const live = () => sim.zone(zoneA).policies.find(({ value }) => value === "img-src 'none'");

    declare("hush-one");
    assert.deepEqual(changesOf(await stack.preview()), ["create note", "create watch"]);
    assert.equal(sim.changing().length, 0);
    await stack.up();
    assert.equal(live()?.description, "hush-one");
    await stack.expectEmptyPreview();

    declare("hush-two");
    assert.deepEqual(changesOf(await stack.preview()), ["update note: description"]);
    await stack.up();
    assert.equal(live()?.description, "hush-two");
    assert.ok(!JSON.stringify(stack.state()).includes("hush"), "a secret is in the state");
    assert.ok(!stack.said.includes("hush"), "a secret was shown");

    sim.dashboard.putPolicy(zoneA, { ...(live() ?? assert.fail()), description: "changed by hand" });
    await stack.refresh();
    assert.deepEqual(changesOf(await stack.preview()), ["update note: description"]);
    sim.dashboard.deletePolicy(zoneA, live()?.id ?? "");
    await stack.up("--refresh");
    assert.equal(live()?.description, "hush-two");

    await stack.destroy();
    assert.equal(live(), undefined);
  });
});

/** Adds a piece to a file: inside the map in kinds.ts, at the end of other files. */
function withPiece(source: string, path: string, piece: string): string {
  return path.endsWith("kinds.ts") ? source.replace(/^};$/m, `${piece}};`) : source + piece;
}

/** Makes the project use the package, built with the new resource. */
async function addTo({ place: { project } }: Stack): Promise<void> {
  expectNoFaults();
  const modules = join(project, "node_modules");
  const ours = "pulumi-page-guard";
  rmSync(modules);
  mkdirSync(modules);
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== ours) symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  const home = join(modules, ours);
  for (const part of ["package.json", "src"])
    cpSync(join(root, "provider", part), join(home, part), { recursive: true });
  for (const [path, text] of texts) {
    mkdirSync(dirname(join(home, "src", path)), { recursive: true });
    writeFileSync(join(home, "src", path), text);
  }
  const { bundle } = await import(pathToFileURL(join(root, "tools/setup/bundle.mjs")).href);
  await bundle("provider", home, join(home, "dist"));
}

/** Type-checks the new and the changed files. */
function expectNoFaults(): void {
  const source = join(root, "provider/src");
  const added = new Map([...texts].map(([path, text]) => [join(source, path), text]));
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, directoryExists } = host;
  host.fileExists = (file) => added.has(file) || fileExists(file);
  host.readFile = (file) => added.get(file) ?? readFile(file);
  host.directoryExists = (folder) =>
    [...added.keys()].some((file) => file.startsWith(`${folder}/`)) || directoryExists?.(folder) === true;
  const program = ts.createProgram([...added.keys()], options, host);
  for (const file of added.keys()) {
    const parsed = program.getSourceFile(file) ?? assert.fail(file);
    const wrong = [...program.getSyntacticDiagnostics(parsed), ...program.getSemanticDiagnostics(parsed)];
    assert.deepEqual(
      wrong.map(({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`),
      [],
    );
  }
}
