import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../../workspace/structure/source-files";
import type { Stack } from "../real-engine/stack";

/**
 * A copy of a policy pack, its TypeScript translated: the SDK checks the types of a pack, and of all that it imports, each
 * time that it starts one, which takes three times as long as what the engine does with it.
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

/** A pack of the story's own. */
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

/** A pack that remediates: `body` gets `type`, `props` and `start`, the number of times that the pack was started: twice by a review that approves, and twice by apply. */
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
