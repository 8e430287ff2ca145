import { copyFileSync, cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { exclusively } from "./exclusively.mjs";
import { run } from "./run.mjs";
import { packages, root } from "./workspace.mjs";

const examples = ["quickstart", "pipelines", "waf-migration"].map((name) => `examples/${name}`);
/** Files and folders of the root that are copied into `pulumi-page-guard`, because its README or the guides link to them. */
const documents = ["SECURITY.md", "CHANGELOG.md", "docs", "templates", ...examples];
/** Leftovers of builds and installations, and pages for people who work on the package. These are not copied. */
const notCopied = /(^|[\\/])(node_modules|reference|bin|\.pulumi|docs[\\/](decisions|reviews|images))$/;

export function copyDocuments() {
  for (const name of packages) copyFileSync(join(root, "LICENSE"), join(root, name, "LICENSE"));
  for (const name of ["docs", "examples", "templates"])
    rmSync(join(root, "provider", name), { recursive: true, force: true });
  for (const name of documents) {
    const to = join(root, "provider", name);
    cpSync(join(root, name), to, { recursive: true, filter: (path) => !notCopied.test(path) });
  }
}

/**
 * Packs the current build with the current documents. Returns the name, version, path and files of the four tarballs. Runs in one
 * process at a time: a second one would remove documents while npm reads them.
 */
export function pack(folder) {
  return exclusively(join(root, "node_modules/.cache/page-guard-pack.lock"), async () => {
    copyDocuments();
    mkdirSync(folder, { recursive: true });
    const packed = [];
    for (const home of packages) {
      const told = await npm(["pack", "--json", "--pack-destination", folder], { cwd: join(root, home) });
      const [{ name, version, filename, files }] = JSON.parse(told);
      packed.push({ name, version, tarball: join(folder, filename), files: files.map(({ path }) => path) });
    }
    return packed;
  });
}

/** Runs npm. Returns its output; if it fails, throws an error with what npm wrote to stderr. */
export async function npm(args, options) {
  const { code, stdout, stderr } = await run("npm", args, options);
  if (code !== 0) throw new Error(`npm ${args[0]} failed (exit ${code}):\n${stderr}`);
  return stdout;
}
