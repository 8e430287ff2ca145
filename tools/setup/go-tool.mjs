import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { exclusively } from "./exclusively.mjs";
import { run } from "./run.mjs";
import { say, withProgress } from "./say.mjs";
import { root } from "./workspace.mjs";

/**
 * Of what is compiled here, nothing goes through a debugger. The tests compile their program in Go with these too: then the
 * packages that it shares with the engine are in Go's cache.
 */
export const sharedFlags = "-tags=osusergo,grpcnotrace -gcflags=all=-dwarf=false";

/** A compiler ends before its garbage is worth collecting, which is a third of its time; with less room it takes twice as long. */
export const uncollected = { GOGC: "off", GOMEMLIMIT: "1500MiB" };

/**
 * Builds a command of the Go module in a folder of this repository, the tool that it names unless `target` says otherwise,
 * unless it is there. One run builds, the others wait for it. `what` is for messages, `takes` says how long it takes;
 * `isBehind`: whatever else runs goes first.
 */
export async function buildGoTool(tool) {
  const { executable } = tool;
  if (existsSync(executable)) return;
  const go = await run("go", ["version"]);
  if (go.code !== 0) throw new Error("there is no `go` on PATH");
  await exclusively(`${executable}.lock`, async () => {
    if (!existsSync(executable)) await build(tool);
  });
}

/** Names what is built of these files, so that other sources give another tool. */
export function digestOf(folder, files) {
  const hash = createHash("sha256");
  for (const name of files) hash.update(readFileSync(join(root, folder, name)));
  return hash.digest("hex").slice(0, 12);
}

async function build({ executable, folder, target = "tool", linking = "", what, takes, isBehind }) {
  mkdirSync(dirname(executable), { recursive: true });
  const scratch = mkdtempSync(`${executable}-`);
  const flags = ["-trimpath", ...sharedFlags.split(" "), "-ldflags", `-s -w ${linking}`.trim()];
  const command = [...(isBehind ? ["nice"] : []), "go", "install", "-v", ...flags, target];
  let packages = 0;
  try {
    const result = await withProgress(
      `Building ${what} from its Go modules (${takes}, once a machine)`,
      () =>
        run(command[0], command.slice(1), {
          cwd: join(root, folder),
          env: { ...process.env, ...uncollected, GOBIN: scratch, GOFLAGS: "-mod=readonly -buildvcs=false" },
          onLine: () => {
            packages += 1;
          },
        }),
      { detail: () => `, ${packages} modules and packages done` },
    );
    if (result.code !== 0) {
      throw new Error(`go install failed: ${result.stderr.trim().split("\n").slice(-3).join(" / ")}`);
    }
    // Named like its package, which may be another name.
    const [built = ""] = readdirSync(scratch);
    renameSync(join(scratch, built), executable);
    say(`Built ${what}: ${executable}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
