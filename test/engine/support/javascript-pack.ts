import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../../workspace/structure/source-files";
import type { Stack } from "../real-engine/stack";

/**
 * Copies a policy pack and translates its TypeScript. Otherwise the SDK would check the types of the pack and its imports at
 * each start, which takes three times as long as the work of the engine.
 */
export function inJavaScript(pack: string, copy: string): string {
  cpSync(pack, copy, { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const name of readdirSync(pack, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue;
    const { outputText } = ts.transpileModule(readFileSync(join(copy, name), "utf8"), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS },
    });
    writeFileSync(join(copy, name.replace(/\.ts$/, ".js")), outputText);
    rmSync(join(copy, name));
  }
  for (const name of ["PulumiPolicy.yaml", "package.json"]) {
    const text = readFileSync(join(copy, name), "utf8");
    writeFileSync(join(copy, name), text.replace("index.ts", "index.js"));
  }
  return copy;
}

/** Writes a policy pack for the story. */
export function packOf({ place }: Stack, name: string, program: string): string {
  writeFileSync(join(place.project, "package.json"), '{ "private": true, "version": "0.0.0" }\n');
  const folder = join(place.folder, name);
  mkdirSync(folder);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "PulumiPolicy.yaml"), "runtime: nodejs\n");
  const manifest = { name, version: "0.0.1", main: "index.js" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "index.js"), program);
  return folder;
}

/** A pack that remediates. `body` gets `type`, `props` and `start`: 1 or 2 in a review that approves, 3 or 4 in apply. */
export const remediating = (stack: Stack, body: string): string =>
  packOf(
    stack,
    "remediating",
    `const { appendFileSync, readFileSync } = require("node:fs");
const { PolicyPack } = require("@pulumi/policy");
const starts = __dirname + "/starts";
appendFileSync(starts, "x");
const start = readFileSync(starts, "utf8").length;
new PolicyPack("remediating", {
  policies: [{
    name: "ours",
    description: "ours",
    enforcementLevel: "remediate",
    remediateResource: ({ type, props }) => {
      ${body}
    },
  }],
});
`,
  );
