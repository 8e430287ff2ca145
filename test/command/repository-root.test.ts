import assert from "node:assert/strict";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../command/src/review/notes";
import { processSession } from "../../command/src/shared/session";
import { useFolder } from "./support/console";

describe("The folder that files are named from", () => {
  const folder = useFolder();

  beforeEach(() => {
    for (const inner of ["shop/infra", "others/.git", "others/infra"]) {
      mkdirSync(join(folder, inner), { recursive: true });
    }
  });

  const rows = [
    ["the checkout that the CI names, where the command runs below it", "shop", "shop/infra", "shop"],
    ["that checkout itself", "shop", "shop", "shop"],
    ["the nearest repository, where the command runs elsewhere", "shop", "others/infra", "others"],
    ["the nearest repository, where the checkout is not there", "gone", "others/infra", "others"],
  ] as const;
  for (const [title, checkout, cwd, root] of rows) {
    it(title, () => {
      const session = {
        ...processSession(),
        env: { GITHUB_WORKSPACE: join(folder, checkout) },
        cwd: join(folder, cwd),
      };
      assert.equal(repositoryRoot(session), join(realpathSync(folder), root));
    });
  }
});
