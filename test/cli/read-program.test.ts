import assert from "node:assert/strict";
import { join } from "node:path";
import typescript from "typescript";
import { programModule } from "../../provider/src/cli/export/program-module";
import {
  isUnreadable,
  literalOf,
  type TypeScript,
  unreadable,
} from "../../provider/src/cli/export/source-value";

const old: TypeScript = require(
  join(require.resolve("@pulumi/pulumi/package.json"), "../vendor/typescript@3.8.3/typescript.js"),
);

/** What a program says of a name, read by a compiler. */
function read(compiler: TypeScript, expression: string): unknown {
  const module = programModule(compiler, "index.ts", `const x = ${expression};`);
  const initializer = module?.constants.get("x");
  assert.ok(module && initializer, expression);
  const names: Record<string, unknown> = { host: "shop", list: ["a", "b"], zones: { shop: { id: "1" } } };
  return literalOf(compiler, initializer, (name) => names[name] ?? unreadable);
}

for (const [title, compiler] of [
  ["the project's compiler", typescript],
  ["the compiler that Pulumi brings along", old],
] as const) {
  describe(`Reading a program without running it, with ${title}`, () => {
    for (const [expression, value] of [
      [`"a\\u0041\\n"`, "aA\n"],
      ["`plain`", "plain"],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what is read.
      ["`${host}.example ${'com'}`", "shop.example com"],
      [`"http" + "s://" + host`, "https://shop"],
      ["[1, -0.5, true, false, null]", [1, -0.5, true, false, null]],
      ["[...list, ('c'), <string>'d', 'e' as const, 'f'!]", ["a", "b", "c", "d", "e", "f"]],
      ["{ a: 1, 'b c': 2, ['d']: 3, host, ...zones.shop }", { a: 1, "b c": 2, d: 3, host: "shop", id: "1" }],
      ["zones['shop'].id", "1"],
      ["{ ['__proto__']: 1 }", JSON.parse('{ "__proto__": 1 }')],
    ] as const) {
      it(`knows ${expression}`, () => assert.deepEqual(read(compiler, expression), value));
    }

    for (const expression of [
      "f()",
      "host ? 'a' : 'b'",
      "process.env.HOST",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what is read.
      "`${f()}`",
      "[...f()]",
      "{ ...f() }",
      "{ [f()]: 1 }",
      "{ get a() { return 1 } }",
      "zones.constructor",
      "{ __proto__: list }",
      "1 + 2",
      "await x",
      "new Date()",
      "/a/",
      "() => 1",
    ]) {
      it(`does not guess ${expression}`, () => assert.ok(isUnreadable(read(compiler, expression))));
    }
  });
}
