import assert from "node:assert/strict";
import { loadCompiler } from "../../provider/src/internals/compiler";

it("A compiler is there, and reads a program", () => {
  const ts = loadCompiler();
  const { statements } = ts.createSourceFile(
    "index.ts",
    "const a: string = 'b';",
    ts.ScriptTarget.ES2020,
    true,
  );
  assert.equal(statements[0]?.kind, ts.SyntaxKind.VariableStatement);
});
