import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pythonPackages } from "./engine-cache.mjs";
import { exclusively } from "./exclusively.mjs";
import { run } from "./run.mjs";
import { withProgress } from "./say.mjs";
import { pinnedPythonSdk } from "./versions.mjs";

/**
 * Returns the folder with all packages that a Python program needs: with PIP_NO_INDEX and PIP_FIND_LINKS, pip needs nothing
 * else. Throws an error with the reason if Python, its venv or the package index is missing.
 */
export async function findOrMakePythonPackages() {
  const query = "import ensurepip, sys, venv; print(sys.implementation.cache_tag)";
  const python = await run("python3", ["-c", query]);
  if (python.code !== 0) throw new Error("there is no `python3` with venv on PATH");
  const folder = pythonPackages(python.stdout.trim());
  await exclusively(`${folder}.lock`, async () => {
    if (existsSync(folder)) return;
    const scratch = mkdtempSync(`${folder}-`);
    // Generated SDKs require parver, and their build requires setuptools.
    const wanted = `pulumi==${pinnedPythonSdk} parver pip setuptools wheel`;
    const script = `python3 -m venv venv && venv/bin/python -m pip download --quiet --dest packages ${wanted}`;
    const { code, stderr } = await withProgress(
      "Downloading the Python packages of Pulumi's SDK (once per machine)",
      () => run("sh", ["-c", script], { cwd: scratch }),
    );
    if (code === 0) renameSync(join(scratch, "packages"), folder);
    rmSync(scratch, { recursive: true, force: true });
    if (code !== 0) throw new Error(`pip failed: ${stderr.trim().split("\n").slice(-3).join(" / ")}`);
  });
  return folder;
}
