import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

/** Files of `src` that a package is entered by: each is a small file of `dist`, before one that holds everything. */
const entriesOf = {
  csp: ["index"],
  provider: ["index", "runtime", "policy", "csp", "tools", "plugin/calls"],
  command: ["main", "policy", "run", "session"],
  simulator: ["index", "main"],
};

/** Programs wait for the plugin's first line: what says it is a file of its own, which loads an entry later. */
const startOf = { provider: { file: "plugin/serve", later: "./calls" } };

/**
 * Writes the JavaScript of a package to `dist`. One file holds all of it, so that a process opens few: finding and reading a
 * hundred takes longer than compiling them. What the sources `require` late is evaluated late there too. What the package
 * depends on stays outside; of what else is used the used part is inside, and its license beside it.
 */
export async function bundle(name, home, dist) {
  const { build } = await import("esbuild");
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const outside = Object.keys({ ...dependencies, ...peerDependencies });
  const write = async (file, options) => {
    const { metafile } = await build({
      ...options,
      absWorkingDir: home,
      outfile: join(dist, file),
      bundle: true,
      external: outside,
      metafile: true,
      platform: "node",
      target: "node20.18",
      format: "cjs",
      legalComments: "none",
      logLevel: "warning",
    });
    writeFileSync(join(dist, file), withOwnNames(readFileSync(join(dist, file), "utf8")));
    copyLicenses(Object.keys(metafile.inputs), home, dist);
  };
  const entries = entriesOf[name];
  const contents = entries
    .map((entry) => `exports["${entry}"] = () => require("./src/${entry}");`)
    .join("\n");
  await write("all.js", { stdin: { contents, resolveDir: home } });
  for (const entry of entries) {
    const file = join(dist, `${entry}.js`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, entryText(home, dist, entry, relative(dirname(file), join(dist, "all.js"))));
  }
  const start = startOf[name];
  if (start === undefined) return;
  const later = {
    name: "later",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\./ }, ({ path }) =>
        path === start.later ? { path, external: true } : undefined,
      ),
  };
  await write(`${start.file}.js`, { entryPoints: [join(home, "src", start.file)], plugins: [later] });
}

/** A class whose text names itself is `_Name` outside of its module, and users see the names of classes. */
function withOwnNames(code) {
  const names = [...code.matchAll(/ = class _(\w+)/g)].map(([, name]) => name);
  return names.reduce((text, name) => text.replace(new RegExp(`\\b_${name}\\b`, "g"), name), code);
}

/** Of each package of which something is inside. */
function copyLicenses(files, home, dist) {
  for (const file of files) {
    const [folder, name] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
    if (folder === undefined) continue;
    mkdirSync(join(dist, "licenses"), { recursive: true });
    copyFileSync(join(home, folder, "LICENSE"), join(dist, "licenses", `${name.replace("/", "-")}.txt`));
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
