import assert from "node:assert/strict";
import { z } from "zod";
import { checkInputs } from "../../provider/src/lifecycle/check-inputs";
import {
  booleanInput,
  connectionInput,
  expressionInput,
  textInput,
  wordInput,
  zoneIdInput,
} from "../../provider/src/lifecycle/common-inputs";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import { shortly } from "../../provider/src/text/shortly";

const told = (shape: Readonly<Record<string, z.ZodType>>, values: object): string[] =>
  checkInputs(shape, { ...values }).map(({ property, message }) => `${property}: ${message}`);

describe("What is reported of an input that is wrong", () => {
  it("is the rule, what came, and what to do", () => {
    const shape = {
      zoneId: zoneIdInput,
      enabled: booleanInput,
      action: wordInput(["log", "allow"]),
      description: textInput("description"),
      expression: expressionInput,
    };
    const where = "The dashboard shows it on the overview page of the zone, under API.";
    assert.deepEqual(
      told(shape, {
        zoneId: 12,
        enabled: "yes",
        action: "block",
        description: undefined,
        expression: "  ",
      }),
      [
        `zoneId: expected a zone id (32 hexadecimal characters), got 12. ${where}`,
        'enabled: expected true or false, got "yes". Write it without quotes.',
        'action: expected one of "log", "allow", got "block".',
        "description: description must be a text, got nothing.",
        'expression: the expression is empty. Say which requests are meant: http.host eq "shop.example.com", or true for all.',
      ],
    );
    assert.deepEqual(told({ enabled: booleanInput }, {}), ["enabled: expected true or false, got nothing."]);
    const right = { zoneId: "A".repeat(32), enabled: false, action: "log", description: "" };
    assert.deepEqual(told(shape, { ...right, expression: "x".repeat(4096) }), []);
    assert.deepEqual(told(shape, { ...right, expression: "x".repeat(4097) }), [
      "expression: the expression has 4097 characters; the service takes at most 4096. Split it over several policies or rules, or use a list.",
    ]);
    for (const zoneId of [`${"a".repeat(32)}0`, "a".repeat(31), `x${"a".repeat(31)}`, `${"a".repeat(32)} `]) {
      assert.match(
        told({ zoneId: zoneIdInput }, { zoneId })[0] ?? "",
        /expected a zone id \(32 hexadecimal characters\)/,
      );
    }
  });

  it("is short, however long it is", () => {
    assert.deepEqual(
      [undefined, null, 7, true, [], {}, "", "twelve chars", "thirteen char", "a token or something"].map(
        shortly,
      ),
      [
        "nothing",
        "null",
        "7",
        "true",
        "a list",
        "a value of type object",
        "an empty text",
        '"twelve chars"',
        '"thirteen…" (13 characters)',
        '"a token …" (20 characters)',
      ],
    );
  });

  it("is in words of ours where the schema's are not a user's", () => {
    const shape = { list: z.array(z.strictObject({ a: z.string({ error: "a is a text." }) })) };
    assert.deepEqual(told(shape, { list: "x" }), ['list: expected a list, got "x".']);
    assert.deepEqual(told(shape, { list: [1] }), ["list[0]: expected a value of type object, got 1."]);
    const nested = {
      list: z.array(z.strictObject({ description: z.string(), enabled: z.boolean() }).partial()),
    };
    assert.deepEqual(
      told(nested, { list: [{ descripton: "x" }, { enabeld: true, desc: "" }, { zzzz: 1 }] }),
      [
        'list[0]: there is no argument "descripton" here. Did you mean description?',
        'list[1]: there is no argument "enabeld", "desc" here. Did you mean enabled?',
        'list[2]: there is no argument "zzzz" here. Known here are description, enabled.',
      ],
    );
    assert.deepEqual(told(shape, { list: [{ a: 1 }, { a: unknownValue }, unknownValue] }), [
      "list[0].a: a is a text.",
    ]);
  });

  it("quotes no name whole that is long, nor on several lines: a key may be data", () => {
    const shape = {
      list: z.array(z.strictObject({ a: z.string() }).partial()),
      by: z.record(z.string(), z.string()),
    };
    const name = `a\n::error::b${"x".repeat(10_000)}`;
    const all = [
      ...told(shape, { list: [{ [name]: 1 }], by: {} }),
      ...told(shape, { list: [], by: { [name]: 1 } }),
      ...told(shape, { list: [], by: {}, [name]: 1 }),
      ...told({ connection: connectionInput.optional() }, { connection: { [name]: 1 } }),
    ];
    assert.equal(all.length, 4);
    for (const said of all) {
      assert.ok(said.length < 300, said);
      assert.doesNotMatch(said, /\n|::error/);
    }
  });

  it("is, of a connection, which arguments it knows and what a variable is called", () => {
    const shape = { connection: connectionInput.optional() };
    assert.deepEqual(
      told(shape, { connection: { baseUrl: "x", tokenEnv: "MY_TOKEN", service: "page_shield" } }),
      [],
    );
    assert.deepEqual(told(shape, { connection: { token: "x", url: "y" } }), [
      "connection: connection knows baseUrl, tokenEnv and service, not token, url. It takes no token: name the environment variable that holds it in tokenEnv.",
    ]);
    assert.deepEqual(told(shape, { connection: { tokenEnv: 1 } }), [
      "connection.tokenEnv: tokenEnv is the name of an environment variable.",
    ]);
    const pasted = "v1.0-0123456789abcdef-secret";
    const [said = ""] = told(shape, { connection: { tokenEnv: pasted } });
    assert.match(said, /^connection\.tokenEnv: .*\. /);
    assert.ok(!said.includes(pasted));
    assert.deepEqual(told(shape, { connection: "x" }), [
      'connection: expected a value of type object, got "x".',
    ]);
    assert.match(
      told(shape, { connection: { service: "other" } })[0] ?? "",
      /one of "page_guard", "page_shield"/,
    );
  });

  it("may be at a place that no one has declared", () => {
    const path = ["a", "b"];
    const rule = z
      .any()
      .superRefine((_value, ctx) => ctx.addIssue({ code: "custom", path, message: "b is missing." }));
    for (const list of [undefined, null, "text", 7, {}, { a: null }, { a: "text" }]) {
      assert.deepEqual(told({ list: rule }, { list }), ["list.a.b: b is missing."], JSON.stringify(list));
    }
    assert.deepEqual(told({ list: rule }, { list: { a: { b: unknownValue } } }), []);
  });

  it("is reported for a name that would be lost on its way, wherever it is", () => {
    const lost = JSON.parse('{"a":{"__proto__":1},"list":[{"__proto__":{}}]}');
    const shape = { a: z.any(), list: z.any() };
    assert.deepEqual(
      checkInputs(shape, lost).map(({ code, property }) => `${code} ${property}`),
      ["input-lost-name a.__proto__", "input-lost-name list[0].__proto__"],
    );
    assert.deepEqual(checkInputs(shape, { a: null, list: ["__proto__"] }), []);
  });
});
