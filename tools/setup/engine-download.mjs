import { createHash } from "node:crypto";
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { downloadFolder, missingExecutables } from "./engine-cache.mjs";
import { moveIntoPlace } from "./move-into-place.mjs";
import { releaseChecksum } from "./release-checksum.mjs";
import { run } from "./run.mjs";
import { say, withProgress } from "./say.mjs";
import { pinnedCli } from "./versions.mjs";

const limitMs = Number(process.env.PAGE_GUARD_ENGINE_DOWNLOAD_MS ?? 300_000);
/** A machine without network would wait for minutes. */
const probeMs = Math.min(limitMs, 8_000);

/** The third way: the archive of the official release, checked against its SHA-256 before anything of it is unpacked. */
export async function downloadEngine() {
  const archive = archiveName();
  const checksum = await releaseChecksum(archive, textOf);
  const target = downloadFolder();
  mkdirSync(dirname(target), { recursive: true });
  const scratch = mkdtempSync(`${target}-`);
  try {
    await withProgress(`Downloading the official Pulumi CLI ${pinnedCli}`, () =>
      within(limitMs, `https://get.pulumi.com/releases/sdk/${archive}`, (answer) =>
        unpack(answer, archive, checksum.sha256, scratch),
      ),
    );
    const missing = missingExecutables(join(scratch, "bin"));
    if (missing.length > 0) throw new Error(`the download lacks ${missing.join(", ")}`);
    moveIntoPlace(scratch, target);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    throw new Error(firstLine(error.message));
  }
  const pinned = checksum.record();
  if (pinned)
    say(
      `No SHA-256 of ${archive} was pinned: it is that of both published lists, and pinned in ${pinned} now. Commit that file.`,
    );
  return join(target, "bin");
}

/** Of the archives that the official release has, those that this tool can unpack. */
function archiveName() {
  const { platform, arch } = process;
  if (!["linux", "darwin"].includes(platform) || !["x64", "arm64"].includes(arch))
    throw new Error(`there is none for ${platform} ${arch} that could be unpacked here`);
  return `pulumi-v${pinnedCli}-${platform}-${arch}.tar.gz`;
}

async function unpack(answer, archive, expected, scratch) {
  const file = join(scratch, archive);
  const hash = createHash("sha256");
  await pipeline(
    Readable.fromWeb(answer.body),
    async function* (chunks) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(file),
  );
  const sha256 = hash.digest("hex");
  if (sha256 !== expected)
    throw new Error(
      `what was downloaded as ${archive} has the SHA-256 ${sha256} instead of ${expected}: it was thrown away`,
    );
  mkdirSync(join(scratch, "bin"));
  const { code, stderr } = await run("tar", [
    "-xzf",
    file,
    "-C",
    join(scratch, "bin"),
    "--strip-components=1",
  ]);
  if (code !== 0) throw new Error(`${archive} could not be unpacked: ${firstLine(stderr)}`);
  rmSync(file);
}

function textOf(url) {
  return within(probeMs, url, (answer) => answer.text());
}

/** One request with its answer's body, in that time or not at all. */
async function within(ms, url, use) {
  const { hostname } = new URL(url);
  const abort = new AbortController();
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${hostname} can't be reached (no end after ${ms / 1000} s)`));
      abort.abort();
    }, ms);
  });
  const work = async () => {
    let answer;
    try {
      answer = await fetch(url, { signal: abort.signal });
    } catch (error) {
      throw new Error(`${hostname} can't be reached (${firstLine(error.cause?.message ?? error.message)})`);
    }
    if (!answer.ok) throw new Error(`${hostname} has no ${url} (HTTP ${answer.status})`);
    return use(answer);
  };
  const working = work();
  // After the time limit no one waits for it.
  working.catch(() => {});
  try {
    return await Promise.race([working, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function firstLine(text) {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "");
  return line?.slice(0, 300) ?? text;
}
