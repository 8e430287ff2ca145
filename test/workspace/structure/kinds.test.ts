import assert from "node:assert/strict";
import * as runtime from "../../../provider/src/runtime";
import { filesBelow, textOf } from "./source-files";

const resources = filesBelow("provider/src/resources");
// The simulator's tests do not count as tests of a resource.
const tests = filesBelow("test").filter((path) => !path.startsWith("test/simulator/"));
const runtimeText = textOf("provider/src/runtime.ts");
const index = textOf("provider/src/index.ts");
const kinds = textOf("provider/src/resources/kinds.ts");

describe("A kind of resource", () => {
  for (const kind of Object.keys(runtime)) {
    it(`given ${kind}, then it has its files, its test and its lines in kinds.ts, runtime.ts and index.ts`, () => {
      assert.deepEqual(whatLacks(kind), []);
    });
  }

  it("given a new kind, then sentences say what it still needs", () => {
    const said = whatLacks("CookieBanner");
    assert.equal(said.length, 7, said.join("\n"));
    const file = "provider/src/resources/cookie-banner/cookie-banner.ts";
    assert.equal(said[0], `CookieBanner lacks its class, which a user reads: write ${file}.`);
  });
});

function whatLacks(kind: string): string[] {
  // A `…Step` is the only child of the component with the same name but without `Step`.
  const publicName = kind.replace(/Step$/, "");
  const file = publicName.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
  const folder = `provider/src/resources/${file}`;
  const rooms = [
    [`${file}.ts`, "its class, which a user reads"],
    ["state.ts", "its inputs and recorded state, with their schemas"],
    ["lifecycle.ts", "its lifecycle"],
  ];
  const exported = new RegExp(`(\\*|\\b${publicName}\\b[^;]*) from "\\./resources/${file}/${file}"`);
  const lacking: [boolean, string][] = [
    ...rooms.map(([room, whatFor]): [boolean, string] => [
      ...([resources.includes(`${folder}/${room}`), `${whatFor}: write ${folder}/${room}.`] as const),
    ]),
    [
      tests.some((path) => path.endsWith(`/${file}.test.ts`)),
      `its test: write ${file}.test.ts in the folder of test/ where it belongs.`,
    ],
    [
      new RegExp(`^export const ${kind} = provider\\(`, "m").test(runtimeText),
      `its line in provider/src/runtime.ts: export const ${kind} = provider(…);`,
    ],
    [exported.test(index), `its line in provider/src/index.ts: export * from "./resources/${file}/${file}";`],
    [
      new RegExp(`^ {2}${kind}: \\(\\) =>`, "m").test(kinds),
      "its entry in provider/src/resources/kinds.ts; then run `npm run schemas`.",
    ],
  ];
  return lacking.filter(([isThere]) => !isThere).map(([, what]) => `${kind} lacks ${what}`);
}
