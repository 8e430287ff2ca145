import assert from "node:assert/strict";
import { positionIn } from "../../../provider/src/declaration/user-position";

const ours = "/shop/packages/page-guard/dist/";

function trace(...frames: readonly string[]): string {
  return ["Error: where", ...frames.map((frame) => `    at ${frame}`)].join("\n");
}

describe("Where the program declares a resource", () => {
  it("is the first frame that is neither ours nor of a package", () => {
    const stack = trace(
      `userPosition (${ours}declaration/user-position.js:20:9)`,
      `new CspPolicy (${ours}resources/csp-policy/csp-policy.js:15:9)`,
      "new Guarded (/shop/node_modules/@company/components/index.js:3:5)",
      "Object.<anonymous> (/shop/zones/index.ts:12:1)",
      "Module._compile (node:internal/modules/cjs/loader:1521:14)",
    );
    assert.deepEqual(positionIn(stack, ours), { file: "/shop/zones/index.ts", line: 12 });
  });

  it("is found in modules, in functions without a name, and in folders with brackets and spaces", () => {
    const frames = {
      "file:///shop/a%20b/index.mjs:4:2": { file: "/shop/a b/index.mjs", line: 4 },
      "async /shop/index.ts:7:3": { file: "/shop/index.ts", line: 7 },
      "async Promise.all (/shop (old)/index.ts:9:30)": { file: "/shop (old)/index.ts", line: 9 },
      "Object.make [as default] (/shop/x.ts:1:1)": { file: "/shop/x.ts", line: 1 },
    };
    for (const [frame, position] of Object.entries(frames))
      assert.deepEqual(positionIn(trace(frame), ours), position, frame);
  });

  it("is not made up where there is none", () => {
    const stack = trace("node:internal/main/run_main_module:28:49", "eval (eval at x (y), <anonymous>:1:1)");
    assert.equal(positionIn(stack, ours), undefined);
  });
});
