import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Files of `src` that users, the engine, our other packages or the tools of this repository load. */
const entries = {
  csp: ["index"],
  provider: ["index", "runtime", "policy", "csp", "tools", "plugin/compile-cache", "plugin/serve"],
  command: ["main", "policy", "run"],
  simulator: ["index", "main"],
};

/**
 * Writes the JavaScript of a package to `dist`, one file for each entry, because finding and reading two hundred files takes
 * longer than compiling them. Does not bundle dependencies. Code that the sources `require` late is also evaluated late here.
 */
export async function bundle(name, home, dist) {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: home,
    entryPoints: entries[name].map((entry) => `src/${entry}.ts`),
    outbase: "src",
    outdir: dist,
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20.18",
    format: "cjs",
    keepNames: true,
    logLevel: "warning",
  });
}

/** Copies the type declarations that users need from `types` to `dist`: those in `exports`, and all that they import. */
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
