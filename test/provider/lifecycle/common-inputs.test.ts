import assert from "node:assert/strict";
import { z } from "zod";
import { withoutWrong, wrongInputs } from "../../../provider/src/lifecycle/wrong-inputs";
import {
  booleanInput,
  connectionInput,
  expressionInput,
  textInput,
  wordInput,
  zoneIdInput,
} from "../../../provider/src/model/common-inputs";
import { unknownValue } from "../../../provider/src/model/unknown";
import { describeBriefly } from "../../../provider/src/text/shown";
import { placeAndCode } from "../../support/place-and-code";

const told = (shape: Readonly<Record<string, z.ZodType>>, values: object): string[] =>
  wrongInputs(shape, { ...values }).map(({ finding }) => `${finding.property}: ${finding.message}`);

describe("Findings about wrong inputs", () => {
  it("name the rule, the value that was given, and what to do", () => {
    const shape = {
      zoneId: zoneIdInput,
      enabled: booleanInput,
      action: wordInput(["log", "allow"]),
      description: textInput("description"),
      expression: expressionInput,
    };
    const wrong: readonly (readonly [keyof typeof shape, unknown, RegExp])[] = [
      [
        "zoneId",
        2.2222222222222224e31,
        /\(32 .* got 2\.2222222222222224e\+31\. .* as a number: put it in quotes /,
      ],
      ["enabled", "yes", / got "yes"\. /],
      ["enabled", undefined, / got nothing\./],
      ["action", "block", / "log", "allow", got "block"\./],
      ["description", undefined, / got nothing\./],
      ["expression", "  ", / empty\. /],
    ];
    for (const [name, value, expected] of wrong) {
      const said = told({ [name]: shape[name] }, { [name]: value });
      assert.deepEqual(said.map(placeAndCode), [name]);
      assert.match(said.join(), expected);
    }
    const right = { zoneId: "A".repeat(32), enabled: false, action: "log", description: "" };
    assert.deepEqual(told(shape, { ...right, expression: "x".repeat(4096) }), []);
    const tooLong = told(shape, { ...right, expression: "x".repeat(4097) });
    assert.deepEqual(tooLong.map(placeAndCode), ["expression"]);
    assert.match(tooLong.join(), / 4097 characters; .* 4096\. /);
    const token = "s3cr3t-token-that-nobody-may-see-in-a-log";
    const misplaced = { zoneId: token, enabled: token, action: token, description: "", expression: "true" };
    assert.doesNotMatch(told(shape, misplaced).join(), new RegExp(token));
    for (const zoneId of [`${"a".repeat(32)}0`, "a".repeat(31), `x${"a".repeat(31)}`, `${"a".repeat(32)} `]) {
      assert.match(told({ zoneId: zoneIdInput }, { zoneId })[0] ?? "", /^zoneId: .*\(32 hexadecimal /);
    }
  });

  it("suggest the nearest argument, or list all, for an unknown one, which an internal input is not", () => {
    const shape = { zoneId: zoneIdInput, enabled: booleanInput };
    const right = { zoneId: unknownValue, enabled: true };
    assert.deepEqual(told(shape, { ...right, __provider: "x", __urn: "y" }), []);
    assert.match(told(shape, { ...right, enabeld: true }).join(), /^enabeld: .*Did you mean enabled\?/);
    // A name that every JavaScript object has.
    assert.match(told(shape, { ...right, constructor: 1 }).join(), /Known arguments: zoneId, enabled/);
  });

  it("show any value in a short text", () => {
    const values = [
      undefined,
      null,
      7,
      true,
      [],
      {},
      "",
      "twelve chars",
      "thirteen char",
      "a token or something",
    ];
    assert.deepEqual(values.map(describeBriefly), [
      ...["nothing", "null", "7", "true", "a list", "a value of type object", "an empty string"],
      ...['"twelve chars"', '"thirteen…" (13 characters)', '"a token …" (20 characters)'],
    ]);
  });

  it("replace messages of the schema that users would not understand", () => {
    const shape = { list: z.array(z.strictObject({ a: z.string({ error: "a is a text." }) })) };
    const types = [...told(shape, { list: "x" }), ...told(shape, { list: [1] })];
    assert.deepEqual(types.map(placeAndCode), ["list", "list[0]"]);
    assert.match(types[0] ?? "", /a list, got "x"\.$/);
    assert.match(types[1] ?? "", / object, got 1\.$/);
    const item = z.strictObject({ description: z.string(), enabled: z.boolean() });
    const nested = { list: z.array(item.partial()) };
    const names = told(nested, { list: [{ descripton: "x" }, { enabeld: true, desc: "" }, { zzzz: 1 }] });
    assert.deepEqual(names.map(placeAndCode), ["list[0]", "list[1]", "list[2]"]);
    assert.match(names[0] ?? "", / "descripton" .* description\?$/);
    assert.match(names[1] ?? "", / "enabeld", "desc" .* enabled\?$/);
    assert.match(names[2] ?? "", / "zzzz" .* description, enabled\.$/);
    assert.deepEqual(told(shape, { list: [{ a: 1 }, { a: unknownValue }, unknownValue] }), [
      "list[0].a: a is a text.",
    ]);
  });

  it("shorten long names and keep them on one line, because a key may be data", () => {
    const list = z.array(z.strictObject({ a: z.string() }).partial());
    const shape = { list, by: z.record(z.string(), z.string()) };
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
      assert.doesNotMatch(said, /\n|^::error/m);
    }
  });

  it("list the arguments of a connection, and do not show a token that was given as tokenEnv", () => {
    const shape = { connection: connectionInput.optional() };
    const whole = { baseUrl: "x", tokenEnv: "MY_TOKEN", service: "page_shield" };
    assert.deepEqual(told(shape, { connection: whole }), []);
    const others = told(shape, { connection: { token: "x", url: "y" } });
    assert.deepEqual(others.map(placeAndCode), ["connection"]);
    assert.match(others.join(), / baseUrl, tokenEnv and service, not token, url\. /);
    const noName = told(shape, { connection: { tokenEnv: 1 } });
    assert.deepEqual(noName.map(placeAndCode), ["connection.tokenEnv"]);
    const pasted = "v1.0-0123456789abcdef-secret";
    const [said = ""] = told(shape, { connection: { tokenEnv: pasted } });
    assert.match(said, /^connection\.tokenEnv: .*\. /);
    assert.ok(!said.includes(pasted));
    const text = told(shape, { connection: "x" });
    assert.deepEqual(text.map(placeAndCode), ["connection"]);
    assert.match(text.join(), / object, got "x"\.$/);
    const [service = ""] = told(shape, { connection: { service: "other" } });
    assert.match(service, /one of "page_guard", "page_shield"/);
  });

  it("can have a path that the program does not declare", () => {
    const path = ["a", "b"];
    const rule = z
      .any()
      .superRefine((_value, ctx) => ctx.addIssue({ code: "custom", path, message: "b is missing." }));
    for (const list of [undefined, null, "text", 7, {}, { a: null }, { a: "text" }]) {
      assert.deepEqual(told({ list: rule }, { list }), ["list.a.b: b is missing."], JSON.stringify(list));
    }
    assert.deepEqual(told({ list: rule }, { list: { a: { b: unknownValue } } }), []);
  });

  it("report names that would be lost on the way to the provider, at any depth", () => {
    const lost = JSON.parse('{"a":{"__proto__":1},"list":[{"__proto__":{}}]}');
    const shape = { a: z.any(), list: z.any() };
    const said = wrongInputs(shape, lost).map(({ finding: { code, property } }) => `${code} ${property}`);
    assert.deepEqual(said, ["input-lost-name a.__proto__", "input-lost-name list[0].__proto__"]);
    assert.deepEqual(wrongInputs(shape, { a: null, list: ["__proto__"] }), []);
  });

  it("report texts and names with half of a surrogate pair, which the engine cannot transmit", () => {
    const shape = { a: z.any(), list: z.any() };
    assert.deepEqual(told(shape, { a: "\u{1f600}", list: [{ "\u{1f600}": 1 }] }), []);
    const said = told(shape, { a: "x\ud800", list: [{ "\udc00": 1 }] });
    assert.match(
      said.join("\n"),
      /^a: the text contains half of a .*\nlist\[0\]\..*: its name contains half of a /,
    );
  });

  it("let the rules about several inputs see wrong inputs as unknown, and all others as they are", () => {
    const rule = z.object({ name: z.string(), count: z.number() });
    const shape = { list: z.array(rule), text: z.string(), other: z.string() };
    const right = { name: "b", count: 2 };
    const values = { list: [{ name: 1, count: "many" }, right, "rule"], text: 5, other: "x" };
    const wrong = wrongInputs(shape, values);
    for (const order of [wrong, [...wrong].reverse()])
      assert.deepEqual(withoutWrong(values, order), {
        list: [{ name: unknownValue, count: unknownValue }, right, unknownValue],
        text: unknownValue,
        other: "x",
      });
    const withParent = [...wrong, ...wrong.slice(0, 1).map((one) => ({ ...one, path: ["list", 0] }))];
    for (const order of [withParent, [...withParent].reverse()])
      assert.deepEqual(withoutWrong(values, order)["list"], [unknownValue, right, unknownValue]);
    assert.deepEqual(values.list[0], { name: 1, count: "many" });
  });
});
