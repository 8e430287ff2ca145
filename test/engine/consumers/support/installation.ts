import { execFile } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

export const root = resolve(__dirname, "../../../..");

/** Creates a folder that a test may fill; `removeAll` deletes it. */
export function temporaryFolder(name: string): string {
  const folder = fs.mkdtempSync(join(tmpdir(), `page-guard-${name}-`));
  folders.push(folder);
  return folder;
}

export const folders: string[] = [];

export function removeAll(): void {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, text);
  }
}

/** Packs the packages as npm would publish them. Returns the path of each tarball by the name of the package. */
export async function packAll(folder: string): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await command(process.execPath, [join(root, "tools/pack.mjs"), folder], root);
  const paths = stdout.trim().split("\n");
  return Object.fromEntries(paths.map((path) => [basename(path).replace(/-\d+\.\d+\.\d+.*$/, ""), path]));
}

export function npmInstall(folder: string): Promise<unknown> {
  // npm takes packages from its cache, and asks the registry only for the rest.
  const quietly = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  return command("npm", ["install", ...quietly], folder);
}

export function pnpmInstall(folder: string): Promise<unknown> {
  const pnpm = join(root, "node_modules/.bin/pnpm");
  const store = join(root, "node_modules/.cache/page-guard-pnpm-store");
  const flags = ["--prefer-offline", "--no-frozen-lockfile", "--store-dir", store];
  return command(pnpm, ["install", ...flags], folder);
}

export function unpack(tarball: string, folder: string): Promise<unknown> {
  fs.mkdirSync(folder, { recursive: true });
  return command("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"], folder);
}

/** Runs a command to its end; a failure shows the whole output. */
export async function command(
  file: string,
  args: readonly string[],
  cwd: string,
): Promise<{ stdout: string }> {
  try {
    return await promisify(execFile)(file, args, { cwd, maxBuffer: 1 << 26 });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${file} ${args.join(" ")} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** Copies a folder as hard links: npm replaces files and does not write into them. */
export function linkFiles(from: string, to: string): void {
  fs.mkdirSync(to, { recursive: true });
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [path, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFiles(path, copy);
    else if (entry.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(path), copy);
    else fs.linkSync(path, copy);
  }
}

/** The version of a package that is installed in a project, by default in this workspace. */
export function versionOf(name: string, project = root): string {
  return manifestIn(join(project, "node_modules", name)).version;
}

function manifestIn(folder: string): { version: string; peerDependencies: Record<string, string> } {
  return JSON.parse(fs.readFileSync(join(folder, "package.json"), "utf8"));
}

/** The lowest and the newest version of the SDK that must work. */
export function sdkVersions(): { lowest: string; newest: string } {
  const { peerDependencies } = manifestIn(join(root, "provider"));
  const lowest = (peerDependencies["@pulumi/pulumi"] ?? "").replace("^", "");
  // The newest SDK that is published may not support an older Node; the one of this workspace does.
  const takesNewest = Number(process.versions.node.split(".")[0]) >= 22;
  return { lowest, newest: takesNewest ? "latest" : versionOf("@pulumi/pulumi") };
}
