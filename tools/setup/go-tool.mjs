import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { exclusively } from "./exclusively.mjs";
import { run } from "./run.mjs";
import { say, withProgress } from "./say.mjs";
import { root } from "./workspace.mjs";

/**
 * Flags that leave out debug information, which nobody needs here. The tests compile their Go program with the same flags,
 * so that it shares compiled packages with the engine in Go's cache.
 */
export const sharedFlags = "-tags=osusergo,grpcnotrace -gcflags=all=-dwarf=false";

/** Turns off garbage collection, which takes a third of the compile time. A lower memory limit would double the compile time. */
export const uncollected = { GOGC: "off", GOMEMLIMIT: "1500MiB" };

/**
 * Builds `target`, or else the tool that go.mod names, from the Go module in `folder`, unless `executable` exists. One run
 * builds while the others wait. `what` is the name in messages, `takes` the time that they announce. `complete` gets the path
 * of the build, and puts other files in place before `executable` exists.
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

async function build({ executable, folder, target = "tool", linking = "", what, takes, complete }) {
  mkdirSync(dirname(executable), { recursive: true });
  const scratch = mkdtempSync(`${executable}-`);
  const flags = ["-trimpath", ...sharedFlags.split(" "), "-ldflags", `-s -w ${linking}`.trim()];
  try {
    const { code, stderr } = await withProgress(
      `Building ${what} from its Go modules (${takes}, once per machine)`,
      () =>
        run("go", ["install", ...flags, target], {
          cwd: join(root, folder),
          env: { ...process.env, ...uncollected, GOBIN: scratch, GOFLAGS: "-mod=readonly -buildvcs=false" },
        }),
    );
    if (code !== 0) throw new Error(`go install failed: ${stderr.trim().split("\n").slice(-3).join(" / ")}`);
    // The executable has the name of its package, which may differ from ours.
    const [built = ""] = readdirSync(scratch);
    await complete?.(join(scratch, built));
    renameSync(join(scratch, built), executable);
    say(`Built ${what}: ${executable}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
