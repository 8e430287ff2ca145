import assert from "node:assert/strict";
import { dirname, join } from "node:path/posix";
import ts from "typescript";
import { filesBelow, sourceFiles, textOf } from "./source-files";

describe("Rooms keep to themselves", () => {
  it("the simulator shares no code with the client that is tested against it", () => {
    const foreign = importsOf("simulator/src").filter(
      ({ target }) => !target.startsWith("node:") && !target.startsWith("simulator/src/"),
    );
    assert.deepEqual(foreign.map(sentence), [], "only node: modules and the simulator's own files");
  });

  it("csp is pure: nothing of Node, of the network or of Pulumi", () => {
    const impure = importsOf("csp/src").filter(({ target }) => /^(node:|undici|zod|@pulumi\/)/.test(target));
    assert.deepEqual(impure.map(sentence), []);
  });

  it("inventory is pure: nothing of Node, of the network or of Pulumi", () => {
    const impure = importsOf("command/src/inventory")
      .filter(({ file }) => /\/(inventory-file|judge|match|seen-script)\.ts$/.test(file))
      .filter(({ target }) => /^(node:|undici|@pulumi\/)/.test(target));
    assert.deepEqual(impure.map(sentence), []);
  });

  it("nothing asks URL.canParse, which Node 20 answers wrongly once it is optimised", () => {
    const users = sourceFiles().filter((file) => /\bcanParse\(/.test(textOf(file)));
    assert.deepEqual(users, [], "use parseUrl");
  });

  it("sees imports and calls of require", () => {
    const targets = importsOf("provider/src").map(({ target }) => target);
    assert.ok(targets.includes("undici") && targets.includes("@pulumi/pulumi"));
  });
});

interface Import {
  readonly file: string;
  /** A package, or a path from the root of the repository. */
  readonly target: string;
}

function importsOf(folder: string): Import[] {
  return filesBelow(folder)
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      ts.preProcessFile(textOf(file), true, true).importedFiles.map(({ fileName }) => ({
        file,
        target: fileName.startsWith(".") ? join(dirname(file), fileName) : fileName,
      })),
    );
}

function sentence({ file, target }: Import): string {
  return `${file} imports ${target}`;
}
