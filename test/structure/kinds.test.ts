import assert from "node:assert/strict";
import { kindNames } from "../../provider/src/resources/kind-names";
import { filesBelow, textOf } from "./source-files";

describe("A kind of resource is complete", () => {
  const repository: Repository = {
    resources: filesBelow("provider/src/resources"),
    // The simulator's tests say nothing about a resource.
    tests: filesBelow("test").filter((path) => !path.startsWith("test/simulator/")),
    runtime: textOf("provider/src/runtime.ts"),
    index: textOf("provider/src/index.ts"),
  };

  for (const kind of kindNames) {
    it(`${kind} has its file, its lifecycle, its test and its lines in runtime.ts and index.ts`, () => {
      assert.deepEqual(whatLacks(kind, repository), []);
    });
  }

  it("says in a sentence what a new kind still needs", () => {
    const said = whatLacks("CookieBanner", repository);
    assert.equal(said.length, 5, said.join("\n"));
    assert.match(
      said.join("\n"),
      /CookieBanner lacks its resource class: write provider\/src\/resources\/cookie-banner\.ts/,
    );
  });
});

interface Repository {
  readonly resources: readonly string[];
  readonly tests: readonly string[];
  readonly runtime: string;
  readonly index: string;
}

function whatLacks(kind: string, { resources, tests, runtime, index }: Repository): string[] {
  // A `…Step` is the one child of the component that has the name without that ending.
  const publicName = kind.replace(/Step$/, "");
  const file = kebabCase(publicName);
  const has = (path: string): boolean => resources.includes(`provider/src/resources/${path}`);
  const lacking: [boolean, string][] = [
    [has(`${file}.ts`), `its resource class: write provider/src/resources/${file}.ts.`],
    [has(`${file}-lifecycle.ts`), `its lifecycle: write provider/src/resources/${file}-lifecycle.ts.`],
    [
      tests.some((path) => path.endsWith(`/${file}.test.ts`)),
      `its test: write ${file}.test.ts in the folder of test/ where it belongs.`,
    ],
    [
      new RegExp(`^export const ${kind} = provider\\("${kind}"\\);$`, "m").test(runtime),
      `its line in provider/src/runtime.ts: export const ${kind} = provider("${kind}");`,
    ],
    [
      new RegExp(`\\b${publicName}\\b[^;]*from "\\./resources/${file}"`).test(index),
      `its line in provider/src/index.ts: export { ${publicName} } from "./resources/${file}";`,
    ],
  ];
  return lacking.filter(([isThere]) => !isThere).map(([, what]) => `${kind} lacks ${what}`);
}

function kebabCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
}
