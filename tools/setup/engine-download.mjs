import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { downloadFolder, missingExecutables } from "./engine-cache.mjs";
import { moveIntoPlace } from "./move-into-place.mjs";
import { withProgress } from "./say.mjs";
import { pinnedCli } from "./versions.mjs";

const host = "get.pulumi.com";
const limitMs = Number(process.env.PAGE_GUARD_ENGINE_DOWNLOAD_MS ?? 300_000);

/** The third way: the official release, by the SDK's own installer, kept in our cache. */
export async function downloadEngine() {
  await probe();
  const { PulumiCommand } = await import("@pulumi/pulumi/automation/index.js");
  const target = downloadFolder();
  mkdirSync(dirname(target), { recursive: true });
  const scratch = mkdtempSync(`${target}-`);
  try {
    await withProgress(`Downloading the official Pulumi CLI ${pinnedCli}`, () =>
      within(limitMs, PulumiCommand.install({ version: pinnedSemver(), root: scratch })),
    );
    const missing = missingExecutables(join(scratch, "bin"));
    if (missing.length > 0) throw new Error(`the download lacks ${missing.join(", ")}`);
    moveIntoPlace(scratch, target);
    return join(target, "bin");
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    throw new Error(firstLine(error.message));
  }
}

/** The installer has no time limits of its own: a machine without network would wait for minutes. */
async function probe() {
  try {
    const answer = await within(
      Math.min(limitMs, 8_000),
      fetch(`https://${host}/install.sh`, { method: "HEAD" }),
    );
    if (answer.status >= 400) throw new Error(`HTTP ${answer.status}`);
  } catch (error) {
    throw new Error(`${host} can't be reached (${firstLine(error.cause?.message ?? error.message)})`);
  }
}

/** PulumiCommand.install takes the parsed form of a version. */
function pinnedSemver() {
  const [major, minor, patch] = pinnedCli.split(".").map(Number);
  return { major, minor, patch, version: pinnedCli, toString: () => pinnedCli, compare: () => 0 };
}

function within(limitMs, work) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${limitMs / 1000} s`)), limitMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

function firstLine(text) {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "");
  return line?.slice(0, 300) ?? text;
}
