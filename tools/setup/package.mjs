import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.mjs";
import { root } from "./workspace.mjs";

/** What is shown on the package's page and what its licence asks for: kept once, at the root. */
export function copyDocuments() {
  for (const file of ["README.md", "LICENSE"]) {
    if (!existsSync(join(root, file))) throw new Error(`${file} is missing at the root of the repository.`);
    copyFileSync(join(root, file), join(root, "provider", file));
  }
}

/** Packs what is built now. Resolves with the path of the tarball. */
export async function pack(folder) {
  mkdirSync(folder, { recursive: true });
  const packed = await run("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: join(root, "provider"),
  });
  if (packed.code !== 0) throw new Error(`npm pack failed (exit ${packed.code}):\n${packed.stderr}`);
  return join(folder, JSON.parse(packed.stdout)[0].filename);
}
