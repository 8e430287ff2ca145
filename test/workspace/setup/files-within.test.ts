import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filesWithin } from "../../engine/real-engine/files-within";

describe("The search for the token in the folder of a story", () => {
  it("reads the files of all folders, and does not follow links out of it", () => {
    const folder = mkdtempSync(join(tmpdir(), "files-within-"));
    try {
      for (const path of ["story/state", "packages"]) mkdirSync(join(folder, path), { recursive: true });
      for (const path of ["story/index.js", "story/state/dev.json", "packages/index.js"])
        writeFileSync(join(folder, path), "");
      symlinkSync(join(folder, "packages"), join(folder, "story/node_modules"));
      symlinkSync(join(folder, "story"), join(folder, "story/circle"));
      symlinkSync(join(folder, "gone"), join(folder, "story/broken"));
      const found = filesWithin(join(folder, "story")).map((file) => file.slice(folder.length + 1));
      assert.deepEqual(found.sort(), ["story/index.js", "story/state/dev.json"]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
