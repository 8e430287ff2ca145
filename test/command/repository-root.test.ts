import assert from "node:assert/strict";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../command/src/review/notes";
import { processSession } from "../../command/src/shared/session";
import { useFolder } from "./support/console";

describe("The folder to which file names are relative", () => {
  const folder = useFolder();

  beforeEach(() => {
    for (const inner of ["shop/infra", "others/.git", "others/infra"]) {
      mkdirSync(join(folder, inner), { recursive: true });
    }
  });

  const rows = [
    ["is the checkout that the CI names, if the command runs below it", "shop", "shop/infra", "shop"],
    ["is the checkout that the CI names, if the command runs in it", "shop", "shop", "shop"],
    ["is the nearest repository, if the command runs elsewhere", "shop", "others/infra", "others"],
    ["is the nearest repository, if the checkout does not exist", "gone", "others/infra", "others"],
  ] as const;
  for (const [title, checkout, cwd, root] of rows) {
    it(title, () => {
      const env = { GITHUB_WORKSPACE: join(folder, checkout) };
      const session = { ...processSession(), env, cwd: join(folder, cwd) };
      assert.equal(repositoryRoot(session), join(realpathSync(folder), root));
    });
  }
});
