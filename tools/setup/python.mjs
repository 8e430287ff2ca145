import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pythonPackages } from "./engine-cache.mjs";
import { exclusively } from "./exclusively.mjs";
import { run } from "./run.mjs";
import { withProgress } from "./say.mjs";
import { pinnedPythonSdk } from "./versions.mjs";

/**
 * Returns the folder with the Python packages that a Python program needs: Pulumi's pinned SDK, its dependencies, and the
 * tools that install packages. With PIP_NO_INDEX and PIP_FIND_LINKS, pip needs nothing else. Throws an error with the reason
 * if Python, its venv or the package index is missing.
 */
export async function findOrMakePythonPackages() {
  const query = "import ensurepip, sys, venv; print(sys.implementation.cache_tag)";
  const python = await run("python3", ["-c", query]);
  if (python.code !== 0) throw new Error("there is no `python3` with venv on PATH");
  const folder = pythonPackages(python.stdout.trim());
  await exclusively(`${folder}.lock`, async () => {
    if (!existsSync(folder)) await download(folder);
  });
  return folder;
}

async function download(folder) {
  const scratch = mkdtempSync(`${folder}-`);
  const venv = join(scratch, "venv");
  const packages = join(scratch, "packages");
  const pip = ["-m", "pip", "download", "--quiet", "--dest", packages];
  // Generated SDKs require parver, and their build requires setuptools.
  const wanted = [`pulumi==${pinnedPythonSdk}`, "parver", "pip", "setuptools", "wheel"];
  try {
    const ended = await withProgress(
      "Downloading the Python packages of Pulumi's SDK (once a machine)",
      async () => {
        const made = await run("python3", ["-m", "venv", venv]);
        return made.code === 0 ? run(join(venv, "bin", "python"), [...pip, ...wanted]) : made;
      },
    );
    if (ended.code !== 0)
      throw new Error(`pip failed: ${ended.stderr.trim().split("\n").slice(-3).join(" / ")}`);
    renameSync(packages, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
