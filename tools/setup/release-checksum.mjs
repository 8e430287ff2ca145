import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pinnedCli } from "./versions.mjs";
import { root } from "./workspace.mjs";

/** Committed: what a release was once is what it has to be for ever. */
const pinsFile =
  process.env.PAGE_GUARD_ENGINE_PINS ?? join(root, "tools", "engine", "release-checksums.json");

/** Two hosts that a single intruder does not own both. */
const published = [
  `https://get.pulumi.com/releases/sdk/pulumi-${pinnedCli}-checksums.txt`,
  `https://github.com/pulumi/pulumi/releases/download/v${pinnedCli}/pulumi-${pinnedCli}-checksums.txt`,
];

/**
 * The SHA-256 that the release's archive has to have. Pinned in this repository; else what both places publish that the
 * project publishes its releases in, as long as they agree. `record` then pins it.
 */
export async function releaseChecksum(archive, fetchText) {
  const pins = existsSync(pinsFile) ? JSON.parse(readFileSync(pinsFile, "utf8")) : {};
  if (pins[archive] !== undefined) return { sha256: pins[archive], record: () => undefined };
  const [first, second] = await Promise.all(
    published.map(async (url) => checksumIn(await fetchText(url), archive, url)),
  );
  if (first !== second) {
    throw new Error(
      `no SHA-256 of ${archive} is pinned, and the published ones differ: ${published[0]} says ${first}, ${published[1]} says ${second}`,
    );
  }
  const record = () => {
    const all = Object.entries({ ...pins, [archive]: first }).sort(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(pinsFile, `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`);
    return pinsFile;
  };
  return { sha256: first, record };
}

/** Lines are `SHA-256  NAME`. */
function checksumIn(text, archive, url) {
  const line = text.split("\n").find((candidate) => candidate.trim().split(/\s+/)[1] === archive);
  const sha256 = line?.trim().split(/\s+/)[0]?.toLowerCase() ?? "";
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error(`${url} has no SHA-256 of ${archive}`);
  return sha256;
}
