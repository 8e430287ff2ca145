import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

/** Files of `src` that a package is entered by: each is a small file of `dist`, before one that holds everything. */
export const entriesOf = {
  csp: ["index"],
  provider: ["index", "runtime", "policy", "csp", "tools", "plugin/serve"],
  command: ["main", "policy", "run", "session"],
  simulator: ["index", "main"],
};

/**
 * Writes the JavaScript of a package to `dist`. One file holds all of it, so that a process opens few: finding and reading a
 * hundred takes longer than compiling them. What the sources `require` late is evaluated late there too. Dependencies stay
 * outside.
 */
export async function bundle(name, home, dist) {
  const { build } = await import("esbuild");
  const entries = entriesOf[name];
  await build({
    stdin: {
      contents: entries.map((entry) => `exports["${entry}"] = () => require("./src/${entry}");`).join("\n"),
      resolveDir: home,
    },
    absWorkingDir: home,
    outfile: join(dist, "all.js"),
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20.18",
    format: "cjs",
    // Users see the names of classes; a class that names itself would get another one.
    keepNames: true,
    legalComments: "none",
    logLevel: "warning",
  });
  for (const entry of entries) {
    const file = join(dist, `${entry}.js`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, entryText(home, dist, entry, relative(dirname(file), join(dist, "all.js"))));
  }
}

/** The last line is never carried out: Node reads from it which names an ES module can import. */
function entryText(home, dist, entry, all) {
  const [first = ""] = readFileSync(join(home, "src", `${entry}.ts`), "utf8").split("\n");
  const isCommand = first.startsWith("#!");
  const names = isCommand ? [] : Object.keys(createRequire(join(dist, "all.js"))("./all.js")[entry]());
  return [
    ...(isCommand ? [first] : []),
    `"use strict";`,
    `const all = require("./${all}");`,
    `module.exports = all["${entry}"]();`,
    ...(names.length > 0 ? [`0 && (module.exports = { ${names.join(", ")} });`] : []),
    "",
  ].join("\n");
}

/** Copies the declarations that a user's compiler reads from `types` to `dist`: those of what `exports` names, and theirs. */
export function copyTypes(home, types, dist) {
  const { exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const copied = new Set();
  const copy = (file) => {
    if (copied.has(file)) return;
    copied.add(file);
    const to = join(dist, relative(types, file));
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(file, to);
    for (const [, path] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/g)) {
      const base = join(dirname(file), path);
      copy(existsSync(`${base}.d.ts`) ? `${base}.d.ts` : join(base, "index.d.ts"));
    }
  };
  for (const entry of Object.values(exports))
    if (entry.types) copy(join(types, relative("dist", entry.types)));
}
