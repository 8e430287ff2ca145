import { copyFileSync, chmodSync, existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { exclusively } from "./exclusively.mjs";
import { run } from "./run.mjs";
import { say, withProgress } from "./say.mjs";
import { root } from "./workspace.mjs";

/** Lowest Pulumi CLI that the tests have been run with. */
export const lowestCli = "3.200.0";
/** The CLI that is fetched or built where the machine has none. */
export const pinnedCli = "3.259.0";

const executables = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

/**
 * The folder that holds the three executables of the engine: those on PATH, of our cache, of the official release, or
 * built from the pinned Go modules, the first that works. Fails with the reason of each.
 */
export async function findOrMakeEngine() {
  const ways = [
    ["pulumi on PATH", engineOnPath],
    ["our cache", engineInCache],
    ["the official release", downloadEngine],
    ["a build from the Go modules in tools/engine", buildEngine],
  ];
  const reasons = [];
  for (const [name, way] of ways) {
    if (process.env.PAGE_GUARD_ENGINE_ONLY && !name.includes(process.env.PAGE_GUARD_ENGINE_ONLY)) continue;
    try {
      return await way();
    } catch (error) {
      reasons.push(`  - ${name}: ${error.message}`);
    }
  }
  throw new Error(
    `There is no Pulumi engine on this machine and none could be made:\n${reasons.join("\n")}\nInstall the Pulumi CLI (${lowestCli} or newer) or Go, then run the command again.`,
  );
}

async function engineOnPath() {
  const folder = (process.env.PATH ?? "").split(delimiter).find((entry) => entry && existsSync(join(entry, "pulumi")));
  if (!folder) throw new Error("there is no `pulumi` on PATH");
  const version = await versionOf(join(folder, "pulumi"));
  if (isOlder(version, lowestCli)) throw new Error(`version ${version} is older than ${lowestCli}`);
  const candidates = [folder, dirname(realpathSync(join(folder, "pulumi")))];
  const whole = candidates.find((entry) => executables.every((name) => existsSync(join(entry, name))));
  if (!whole) throw new Error(`${folder} holds version ${version} without its Node.js language host`);
  return whole;
}

async function engineInCache() {
  const official = join(cacheFolder(), "official", pinnedCli, "bin");
  if (executables.every((name) => existsSync(join(official, name)))) return official;
  if (!existsSync(builtCli())) throw new Error(`nothing of version ${pinnedCli} in ${cacheFolder()}`);
  return assemble();
}

async function downloadEngine() {
  const { PulumiCommand } = await import("@pulumi/pulumi/automation/index.js");
  const target = join(cacheFolder(), "official", pinnedCli);
  mkdirSync(dirname(target), { recursive: true });
  const scratch = mkdtempSync(`${target}-`);
  const limitMs = Number(process.env.PAGE_GUARD_ENGINE_DOWNLOAD_MS ?? 300_000);
  try {
    await withProgress(`Downloading the official Pulumi CLI ${pinnedCli}`, () =>
      within(limitMs, PulumiCommand.install({ version: pinnedSemver(), root: scratch })),
    );
    const missing = executables.filter((name) => !existsSync(join(scratch, "bin", name)));
    if (missing.length > 0) throw new Error(`the download lacks ${missing.join(", ")}`);
    moveIntoPlace(scratch, target);
    return join(target, "bin");
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    throw new Error(firstLine(error.message));
  }
}

async function buildEngine() {
  const go = await run("go", ["version"]);
  if (go.code !== 0) throw new Error("there is no `go` on PATH");
  await exclusively(`${builtCli()}.lock`, async () => {
    if (existsSync(builtCli())) return;
    await buildCli();
  });
  return assemble();
}

async function buildCli() {
  mkdirSync(dirname(builtCli()), { recursive: true });
  const scratch = mkdtempSync(`${builtCli()}-`);
  const flags = ["-trimpath", "-tags", "osusergo,grpcnotrace", "-ldflags"];
  const stamp = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${pinnedCli}`;
  let packages = 0;
  try {
    const result = await withProgress(
      `Building the Pulumi CLI ${pinnedCli} from its Go modules (3 to 7 minutes on 2 cores, once a machine)`,
      () =>
        run("go", ["install", "-v", ...flags, stamp, "tool"], {
          cwd: join(root, "tools", "engine"),
          env: { ...process.env, GOBIN: scratch, GOFLAGS: "-mod=readonly -buildvcs=false" },
          onLine: () => {
            packages += 1;
          },
        }),
      { detail: () => `, ${packages} modules and packages done` },
    );
    if (result.code !== 0) {
      throw new Error(`go install failed: ${result.stderr.trim().split("\n").slice(-3).join(" / ")}`);
    }
    renameSync(join(scratch, "pulumi"), builtCli());
    say(`The Pulumi CLI ${pinnedCli} is in ${builtCli()}.`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * The CLI is shared by every clone on the machine, its two hosts belong to this clone: they load this clone's
 * @pulumi/pulumi. A hard link, not a symbolic one, because the CLI looks for its hosts beside its real file.
 */
function assemble() {
  const folder = join(root, "node_modules", ".cache", "page-guard-engine", pinnedCli);
  const sdk = join(root, "node_modules", "@pulumi", "pulumi");
  const complete = join(folder, ".complete");
  const fingerprint = `${builtCli()}\n${root}\n${readFileSync(join(sdk, "package.json"), "utf8").length}`;
  if (existsSync(complete) && readFileSync(complete, "utf8") === fingerprint) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const scratch = mkdtempSync(`${folder}-`);
  linkOrCopy(builtCli(), join(scratch, "pulumi"));
  writeExecutable(
    join(scratch, "pulumi-language-nodejs"),
    `#!/bin/sh\nexec "\${PAGE_GUARD_NODE:-node}" "${join(root, "tools", "engine", "language-host.cjs")}" "$@"\n`,
  );
  copyFileSync(join(sdk, "pulumi-resource-pulumi-nodejs"), join(scratch, "pulumi-resource-pulumi-nodejs"));
  chmodSync(join(scratch, "pulumi-resource-pulumi-nodejs"), 0o755);
  writeFileSync(join(scratch, ".complete"), fingerprint);
  moveIntoPlace(scratch, folder);
  return folder;
}

function builtCli() {
  return join(cacheFolder(), "built", pinnedCli, "pulumi");
}

function cacheFolder() {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return process.env.PAGE_GUARD_ENGINE_CACHE || join(base, "pulumi-page-guard", "engine");
}

/** Another run may have put its own copy there first: both are the same, the later one wins. */
function moveIntoPlace(scratch, target) {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    try {
      renameSync(scratch, target);
      return;
    } catch (error) {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
      const old = `${target}.old-${process.pid}-${attempt}`;
      try {
        renameSync(target, old);
      } catch {
        continue;
      }
      rmSync(old, { recursive: true, force: true });
    }
  }
  throw new Error(`${target} could not be put in place`);
}

function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
    chmodSync(to, 0o755);
  }
}

function writeExecutable(path, text) {
  writeFileSync(path, text, { mode: 0o755 });
}

async function versionOf(pulumi) {
  const result = await run(pulumi, ["version"], { env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" } });
  const version = /v?(\d+\.\d+\.\d+)/.exec(result.stdout)?.[1];
  if (!version) throw new Error(`${pulumi} does not tell its version`);
  return version;
}

/** PulumiCommand.install takes the parsed form of a version. */
function pinnedSemver() {
  const [major, minor, patch] = pinnedCli.split(".").map(Number);
  return { major, minor, patch, version: pinnedCli, toString: () => pinnedCli, compare: () => 0 };
}

export function isOlder(version, than) {
  const left = version.split(".").map(Number);
  const right = than.split(".").map(Number);
  const at = left.findIndex((part, index) => part !== right[index]);
  return at >= 0 && left[at] < right[at];
}

function within(limitMs, work) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${limitMs / 1000} s`)), limitMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

function firstLine(text) {
  return text.split("\n").find((line) => line.trim() !== "")?.slice(0, 300) ?? text;
}
