import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../../workspace/structure/source-files";

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
