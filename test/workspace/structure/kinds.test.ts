import assert from "node:assert/strict";
import * as runtime from "../../../provider/src/runtime";
import { filesBelow, textOf } from "./source-files";

describe("A kind of resource is complete", () => {
  const repository: Repository = {
    resources: filesBelow("provider/src/resources"),
    // The simulator's tests say nothing about a resource.
    tests: filesBelow("test").filter((path) => !path.startsWith("test/simulator/")),
    runtimeText: textOf("provider/src/runtime.ts"),
    index: textOf("provider/src/index.ts"),
    kinds: textOf("provider/src/resources/kinds.ts"),
  };

  for (const kind of Object.keys(runtime)) {
    it(`${kind} has its rooms, its test and its lines in kinds.ts, runtime.ts and index.ts`, () => {
      assert.deepEqual(whatLacks(kind, repository), []);
    });
  }

  it("says in a sentence what a new kind still needs", () => {
    const said = whatLacks("CookieBanner", repository);
    assert.equal(said.length, 7, said.join("\n"));
    assert.match(
      said.join("\n"),
      /CookieBanner lacks its class, which a user reads: write provider\/src\/resources\/cookie-banner\/cookie-banner\.ts/,
    );
  });
});

interface Repository {
  readonly resources: readonly string[];
  readonly tests: readonly string[];
  readonly runtimeText: string;
  readonly index: string;
  readonly kinds: string;
}

function whatLacks(kind: string, { resources, tests, runtimeText, index, kinds }: Repository): string[] {
  // A `…Step` is the one child of the component that has the name without that ending.
  const publicName = kind.replace(/Step$/, "");
  const file = kebabCase(publicName);
  const folder = `provider/src/resources/${file}`;
  const lacking: [boolean, string][] = [
    ...rooms(file).map(([room, whatFor]): [boolean, string] => [
      resources.includes(`${folder}/${room}`),
      `${whatFor}: write ${folder}/${room}.`,
    ]),
    [
      tests.some((path) => path.endsWith(`/${file}.test.ts`)),
      `its test: write ${file}.test.ts in the folder of test/ where it belongs.`,
    ],
    [
      new RegExp(`^export const ${kind} = provider\\(`, "m").test(runtimeText),
      `its line in provider/src/runtime.ts: export const ${kind} = provider(…);`,
    ],
    [
      new RegExp(`\\b${publicName}\\b[^;]*from "\\./resources/${file}/${file}"`).test(index),
      `its line in provider/src/index.ts: export { ${publicName} } from "./resources/${file}/${file}";`,
    ],
    [
      new RegExp(`^ {2}${kind}: \\(\\) =>`, "m").test(kinds),
      "its entry in provider/src/resources/kinds.ts; then run `npm run schemas`.",
    ],
  ];
  return lacking.filter(([isThere]) => !isThere).map(([, what]) => `${kind} lacks ${what}`);
}

/** The rooms that every resource has, and what each is for. */
function rooms(file: string): [string, string][] {
  return [
    [`${file}.ts`, "its class, which a user reads"],
    ["state.ts", "its inputs and recorded state, with their schemas"],
    ["lifecycle.ts", "its lifecycle"],
  ];
}

function kebabCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
}
