import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { assembleEngine, builtCli } from "./engine-cache.mjs";
import { exclusively } from "./exclusively.mjs";
import { run } from "./run.mjs";
import { say, withProgress } from "./say.mjs";
import { pinnedCli } from "./versions.mjs";
import { root } from "./workspace.mjs";

/** The last way: the CLI from its pinned Go modules, kept in our cache. One run builds, the others wait for it. */
export async function buildEngine() {
  const go = await run("go", ["version"]);
  if (go.code !== 0) throw new Error("there is no `go` on PATH");
  await exclusively(`${builtCli()}.lock`, async () => {
    if (!existsSync(builtCli())) await buildCli();
  });
  return assembleEngine();
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
