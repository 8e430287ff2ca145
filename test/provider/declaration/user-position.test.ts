import assert from "node:assert/strict";
import { dirname, sep } from "node:path";
import { userPosition } from "../../../provider/src/declaration/user-position";

const ours = dirname(dirname(require.resolve("../../../provider/src/declaration/user-position"))) + sep;

/** Returns the position that is found in a trace of these frames. */
function positionIn(...frames: readonly string[]): ReturnType<typeof userPosition> {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = () => ["Error: where", ...frames.map((frame) => `    at ${frame}`)].join("\n");
  process.env["PAGE_GUARD_FINDINGS"] = "findings.jsonl";
  try {
    return userPosition();
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    delete process.env["PAGE_GUARD_FINDINGS"];
  }
}

describe("The position of a resource in the program", () => {
  it("is the first frame that is neither in our package nor in another one", () => {
    const position = positionIn(
      `userPosition (${ours}declaration/user-position.js:20:9)`,
      `new CspPolicy (${ours}resources/csp-policy/csp-policy.js:15:9)`,
      "new Guarded (/shop/node_modules/@company/components/index.js:3:5)",
      "Object.<anonymous> (/shop/zones/index.ts:12:1)",
      "Module._compile (node:internal/modules/cjs/loader:1521:14)",
    );
    assert.deepEqual(position, { file: "/shop/zones/index.ts", line: 12 });
  });

  it("is found in modules, in anonymous functions, and in folders with brackets and spaces", () => {
    const frames = {
      "file:///shop/a%20b/index.mjs:4:2": { file: "/shop/a b/index.mjs", line: 4 },
      "async /shop/index.ts:7:3": { file: "/shop/index.ts", line: 7 },
      "async Promise.all (/shop (old)/index.ts:9:30)": { file: "/shop (old)/index.ts", line: 9 },
      "Object.make [as default] (/shop/x.ts:1:1)": { file: "/shop/x.ts", line: 1 },
    };
    for (const [frame, position] of Object.entries(frames))
      assert.deepEqual(positionIn(frame), position, frame);
  });

  it("is undefined if no frame is in the program", () => {
    const frames = ["node:internal/main/run_main_module:28:49", "eval (eval at x (y), <anonymous>:1:1)"];
    assert.equal(positionIn(...frames), undefined);
  });
});
