import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { exclusively } from "./exclusively.mjs";
import { run } from "./run.mjs";
import { say, withProgress } from "./say.mjs";
import { root } from "./workspace.mjs";

/**
 * Flags that leave out debug information, which nobody needs here. The tests compile their Go program with the same flags,
 * so that it shares packages with the engine in the cache of Go.
 */
export const sharedFlags = "-tags=osusergo,grpcnotrace -gcflags=all=-dwarf=false";

/** Environment without garbage collection, which takes a third of the compile time. Less memory would double the time. */
export const uncollected = { GOGC: "off", GOMEMLIMIT: "1500MiB" };

/**
 * Builds a command of the Go module in a folder of this repository, unless it exists: `target`, or else the tool that the
 * module names. One run builds while the others wait. `what` is the name in messages, `takes` the time that they announce.
 * `isBehind`: build with low priority.
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

/** Returns a digest of files. It names their build, so that other sources give another tool. */
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
          onOutput: (text) => {
            packages += text.split("\n").length - 1;
          },
        }),
      { detail: () => `, ${packages} modules and packages done` },
    );
    if (result.code !== 0) {
      throw new Error(`go install failed: ${result.stderr.trim().split("\n").slice(-3).join(" / ")}`);
    }
    // The executable has the name of its package, which may differ from ours.
    const [built = ""] = readdirSync(scratch);
    renameSync(join(scratch, built), executable);
    say(`Built ${what}: ${executable}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
