import assert from "node:assert/strict";
import { filesBelow, packages, sourceFiles, textOf } from "./source-files";

const page = textOf("docs/architecture.md");

describe("docs/architecture.md", () => {
  it("names exactly the folders of the provider, and the other packages", () => {
    const rooms = filesBelow("provider/src").map((file) => {
      const [first = "", ...rest] = file.replace("provider/src/", "").split("/");
      return rest.length > 0 ? `${first}/` : first;
    });
    const others = packages.filter((name) => name !== "provider").map((name) => `${name}/`);
    assert.deepEqual(roomsNamedIn(page), [...new Set([...rooms, ...others])].sort());
  });

  it("names only files that exist", () => {
    const files = sourceFiles();
    const named = [...page.matchAll(/`([\w/-]+\.ts)`/g)].map(([, name = ""]) => name);
    const lost = named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)));
    assert.deepEqual(lost, []);
  });

  it("is right that lifecycle/memory.ts lists each memory of a run with its file", () => {
    const memories = sourceFiles().flatMap((file) =>
      [...textOf(file).matchAll(/^(?:export )?const (\w+) = rememberIn(?:Run|Zone)\(/gm)].map(
        ([, name]) => `${name} ${file.replace("provider/src/", "")}`,
      ),
    );
    const list = textOf("provider/src/lifecycle/memory.ts");
    const entries = list.matchAll(/^ \* - `(\w+)` \(([\w/-]+\.ts)\): /gm);
    const named = [...entries].map(([, name, file]) => `${name} ${file}`);
    assert.deepEqual(named.sort(), [...memories, "KindSession lifecycle/kind-session.ts"].sort());
  });

  it("counts the steps and files of each path, and names the functions with the files that define them", () => {
    const files = sourceFiles();
    const paths = [...page.matchAll(/^## The path of .*: (\d+) steps, (\d+) files\n([\s\S]*?)(?=^## )/gm)];
    assert.equal(paths.length, 2);
    for (const [, steps, named, text = ""] of paths) {
      const pairs = [...text.matchAll(/`(\w+)`\s+\(`([\w/-]+\.ts)`/g)].map(
        ([, what = "", file = ""]): [string, string[]] => [
          what,
          files.filter((one) => one.endsWith(`/${file}`)),
        ],
      );
      for (const [what, where] of pairs)
        assert.ok(
          where.some((file) => defines(textOf(file), what)),
          what,
        );
      const distinct = new Set(pairs.map(([, where]) => where.join()));
      assert.deepEqual([pairs.length, distinct.size].map(String), [steps, named]);
    }
  });

  it("can be read in a few minutes", () => {
    assert.ok(page.split("\n").length <= 81, "at most 80 lines");
  });
});

/** Whether a source defines a function, a class or a method with that name. */
function defines(source: string, name: string): boolean {
  return new RegExp(`(function|class|const|readonly) ${name}\\b|^\\s+(async )?${name}[(<]`, "m").test(source);
}

/** Returns the names in the first column of its table. */
function roomsNamedIn(text: string): string[] {
  return text
    .split("\n")
    .flatMap((line) => /^\| (`.+?) \|/.exec(line)?.[1]?.split(", ") ?? [])
    .map((name) => name.replaceAll("`", ""))
    .sort();
}
