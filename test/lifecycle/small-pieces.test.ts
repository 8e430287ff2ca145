import assert from "node:assert/strict";
import { z } from "zod";
import { NotFoundError } from "../../provider/src/errors/not-found-error";
import { checkInputs } from "../../provider/src/lifecycle/check-inputs";
import { CodedError } from "../../provider/src/lifecycle/coded-error";
import {
  booleanInput,
  connectionInput,
  expressionInput,
  textInput,
  wordInput,
  zoneIdInput,
} from "../../provider/src/lifecycle/common-inputs";
import { errorsOf, findingText, warningsOf } from "../../provider/src/lifecycle/finding";
import { allInFlight, inFlight } from "../../provider/src/lifecycle/in-flight";
import { mayHaveActed } from "../../provider/src/lifecycle/may-have-acted";
import { codeOf, messageOf } from "../../provider/src/lifecycle/message-of";
import { currentResource, onResource } from "../../provider/src/lifecycle/on-resource";
import { oneAtATime } from "../../provider/src/lifecycle/one-at-a-time";
import { createRun } from "../../provider/src/lifecycle/process-run";
import { isSameZone } from "../../provider/src/lifecycle/same-zone";
import { noSecrets, secretsOf, withoutSecrets } from "../../provider/src/lifecycle/secret-inputs";
import { withoutUndefined } from "../../provider/src/lifecycle/state";
import { containsUnknown, isUnknown, unknownValue } from "../../provider/src/lifecycle/unknown";
import { declaredAsIn, urnParts } from "../../provider/src/lifecycle/urn";
import { claimZone, hasSuccessor, holdZone } from "../../provider/src/lifecycle/zone-claims";
import { shortly } from "../../provider/src/text/shortly";
import { zoneA } from "../small-engine/zones";

const told = (shape: Readonly<Record<string, z.ZodType>>, values: object): string[] =>
  checkInputs(shape, { ...values }).map(({ property, message }) => `${property}: ${message}`);

describe("What is said of an input that is wrong", () => {
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
        `zoneId: a zone id is a text of 32 hexadecimal characters; 12 came. ${where}`,
        'enabled: true or false is expected; "yes" came. Write it without quotes.',
        'action: one of "log", "allow" is expected; "block" came.',
        "description: description is a text; nothing came.",
        'expression: the expression is empty. Say which requests are meant: http.host eq "shop.example.com", or true for all.',
      ],
    );
    assert.deepEqual(told({ enabled: booleanInput }, {}), [
      "enabled: true or false is expected; nothing came.",
    ]);
    const right = { zoneId: "A".repeat(32), enabled: false, action: "log", description: "" };
    assert.deepEqual(told(shape, { ...right, expression: "x".repeat(4096) }), []);
    assert.deepEqual(told(shape, { ...right, expression: "x".repeat(4097) }), [
      "expression: the expression has 4097 characters; the service takes at most 4096. Split it over several policies or rules, or use a list.",
    ]);
    for (const zoneId of [`${"a".repeat(32)}0`, "a".repeat(31), `x${"a".repeat(31)}`, `${"a".repeat(32)} `]) {
      assert.match(
        told({ zoneId: zoneIdInput }, { zoneId })[0] ?? "",
        /a zone id is 32 hexadecimal characters/,
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
    assert.deepEqual(told(shape, { list: "x" }), ['list: a list is expected; "x" came.']);
    assert.deepEqual(told(shape, { list: [1] }), ["list[0]: a value of type object is expected; 1 came."]);
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
      'connection: a value of type object is expected; "x" came.',
    ]);
    assert.match(
      told(shape, { connection: { service: "other" } })[0] ?? "",
      /one of "page_guard", "page_shield"/,
    );
  });

  it("may be at a place that nobody has declared", () => {
    const path = ["a", "b"];
    const rule = z
      .any()
      .superRefine((_value, ctx) => ctx.addIssue({ code: "custom", path, message: "b is missing." }));
    for (const list of [undefined, null, "text", 7, {}, { a: null }, { a: "text" }]) {
      assert.deepEqual(told({ list: rule }, { list }), ["list.a.b: b is missing."], JSON.stringify(list));
    }
    assert.deepEqual(told({ list: rule }, { list: { a: { b: unknownValue } } }), []);
  });

  it("is told of a name that would be lost on its way, wherever it stands", () => {
    const lost = JSON.parse('{"a":{"__proto__":1},"list":[{"__proto__":{}}]}');
    const shape = { a: z.any(), list: z.any() };
    assert.deepEqual(
      checkInputs(shape, lost).map(({ code, property }) => `${code} ${property}`),
      ["input-lost-name a.__proto__", "input-lost-name list[0].__proto__"],
    );
    assert.deepEqual(checkInputs(shape, { a: null, list: ["__proto__"] }), []);
  });
});

describe("Findings", () => {
  const finding = { severity: "warning", code: "csp-taken-over", property: "", message: "m" } as const;

  it("are told with their code, and with their place where they have one", () => {
    assert.equal(findingText(finding), "m [csp-taken-over]");
    assert.equal(findingText({ ...finding, property: "a[0].b" }), "a[0].b: m [csp-taken-over]");
    const lint = { ...finding, code: "csp-lint-toy" } as const;
    const all = [finding, { ...lint, severity: "error" }, { ...lint, severity: "info" }] as const;
    assert.deepEqual([errorsOf(all), warningsOf(all)], [[all[1]], [all[0]]]);
  });

  it("keep what machines read only where nothing is secret, and say of a secret input just where and what", () => {
    const data = { hosts: ["hush.example"] };
    const secrets = secretsOf(["value"], { value: "hush.example", size: 17 });
    const told = { ...finding, message: "blocks hush.example", data };
    assert.deepEqual(withoutSecrets(told, noSecrets), told);
    assert.deepEqual(withoutSecrets(told, secrets), { ...finding, message: "blocks [secret]" });
    const where = "docs/findings.md says what that code means.";
    const hidden = "this value is secret and not shown; csp-taken-over has found something in it";
    assert.deepEqual(withoutSecrets({ ...told, property: "value.x" }, secrets), {
      ...finding,
      property: "value.x",
      message: `${hidden}. ${where}`,
    });
    assert.equal(
      withoutSecrets({ ...told, property: "value", place: "character 3" }, secrets).message,
      `${hidden} (character 3). ${where}`,
    );
    assert.equal(withoutSecrets({ ...told, property: "values" }, secrets).message, "blocks [secret]");
  });

  it("hide the longest secret first, and leave words of up to three letters alone", () => {
    const secrets = secretsOf(["a", "b"], {
      a: ["hush", "hush-hush"],
      b: { c: "abc", d: "abcd", e: null, f: 3 },
    });
    assert.deepEqual(secrets, {
      names: ["a", "b"],
      places: ["a", "b"],
      texts: ["hush-hush", "hush", "abcd"],
    });
    assert.deepEqual([secretsOf(undefined, {}), secretsOf([], { a: "hush" })], [noSecrets, noSecrets]);
    const policies = { gone: null };
    for (const path of [
      ["policies", "other", "value"],
      ["policies", "gone", "value"],
      ["none", "a"],
    ]) {
      const { names, texts } = secretsOf([path], { policies });
      assert.deepEqual([names, texts], [path.slice(0, 1), []], "what is not there has no text");
    }
    assert.deepEqual(secretsOf(["q"], { q: 'a "b"' }).texts, [String.raw`a \"b\"`, 'a "b"']);
  });
});

describe("Whatever is thrown", () => {
  it("has a text, a code, and may have happened or surely has not", () => {
    const gone = new NotFoundError({ outcome: "refused", httpStatus: 404 });
    assert.deepEqual(
      [messageOf(new Error("a")), messageOf("b"), messageOf(undefined)],
      ["a", "an unexpected failure: b", "an unexpected failure: undefined"],
    );
    assert.deepEqual(
      [codeOf(gone), codeOf(new CodedError("nothing-to-get", "")), codeOf(new Error("")), codeOf("x")],
      ["PG_NOT_FOUND", "nothing-to-get", "unexpected", "unexpected"],
    );
    assert.ok(mayHaveActed(new Error("of ours")));
    assert.ok(!mayHaveActed("no error"));
    assert.ok(!mayHaveActed(gone));
    assert.ok(mayHaveActed(new NotFoundError({ outcome: "unknown" })));
    assert.ok(!mayHaveActed(new NotFoundError({ outcome: "unsent" })));
  });
});

describe("Work in this process", () => {
  it("is done so many at a time, and one failure does not stop the others; results keep their order", async () => {
    let now = 0;
    let most = 0;
    const work = async (item: number): Promise<number> => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 5 - item));
      now -= 1;
      if (item === 2) throw new Error("two");
      return item * 10;
    };
    const settled = await inFlight(3, [0, 1, 2, 3, 4], work);
    assert.equal(most, 3);
    assert.deepEqual(
      settled.map(({ item, result, error }) => [item, result, error instanceof Error]),
      [
        [0, 0, false],
        [1, 10, false],
        [2, undefined, true],
        [3, 30, false],
        [4, 40, false],
      ],
    );
    assert.deepEqual(await inFlight(3, [], work), []);
  });

  it("is begun no more after a failure where all of it has to succeed", async () => {
    const begun: number[] = [];
    const work = async (item: number): Promise<number> => {
      begun.push(item);
      await new Promise((resolve) => setImmediate(resolve));
      if (item === 1) throw new Error("one");
      return item * 10;
    };
    assert.deepEqual(await allInFlight(2, [0, 2, 3], work), [0, 20, 30]);
    begun.length = 0;
    await assert.rejects(allInFlight(2, [0, 1, 2, 3, 4, 5], work), /one/);
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(begun.length < 5, begun.join());
  });

  it("is done one after the other for one zone, in any spelling, also after a failure; side by side for others", async () => {
    const run = createRun({ env: {} });
    const done: string[] = [];
    const work =
      (name: string, fails = false) =>
      async () => {
        done.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        done.push(`${name} ends`);
        if (fails) throw new Error(name);
      };
    const [first, second, other] = await Promise.allSettled([
      oneAtATime(run, "aa", work("first", true)),
      oneAtATime(run, "AA", work("second")),
      oneAtATime(run, "bb", work("other")),
    ]);
    assert.deepEqual([first.status, second.status, other.status], ["rejected", "fulfilled", "fulfilled"]);
    assert.deepEqual(
      done.filter((what) => !what.startsWith("other")),
      ["first begins", "first ends", "second begins", "second ends"],
    );
    assert.ok(done.indexOf("other begins") < done.indexOf("first ends"));
  });

  it("sleeps where nobody gives it another clock, and wakes up", async () => {
    const waits = createRun({ env: {} }).sleep(0);
    const [first] = await Promise.all([
      Promise.race([waits.then(() => "waited"), Promise.resolve("at once")]),
      waits,
    ]);
    assert.equal(first, "at once");
  });

  it("knows which resource it is for, however deep, and none outside", async () => {
    assert.equal(currentResource(), "");
    await onResource("urn:a", async () => {
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(currentResource(), "urn:a");
    });
    assert.equal(currentResource(), "");
  });

  it("claims a zone once for each kind, and the same resource may claim it again", () => {
    const run = createRun({ env: {} });
    assert.equal(claimZone(run, "Toy", "aa", "urn:a"), undefined);
    assert.equal(claimZone(run, "Toy", "AA", "urn:b"), "urn:a");
    assert.equal(claimZone(run, "Toy", "aa", "urn:a"), undefined);
    assert.equal(claimZone(run, "Other", "aa", "urn:b"), undefined);
  });

  it("knows whether a declared resource has the zone by now, which one that is replaced has not before it is made", () => {
    const run = createRun({ env: {} });
    claimZone(run, "Toy", "aa", "urn:a");
    assert.equal(hasSuccessor(run, "Toy", "aa"), false);
    holdZone(run, "Toy", "aa", "urn:a");
    assert.deepEqual(
      [hasSuccessor(run, "Toy", "AA"), hasSuccessor(run, "Toy", "bb"), hasSuccessor(run, "Third", "aa")],
      [true, false, false],
    );
    claimZone(run, "Toy", "AA", "urn:a");
    assert.equal(hasSuccessor(run, "Toy", "aa"), false);
  });
});

describe("Values that go through the engine", () => {
  it("are unknown at any depth, or not", () => {
    assert.deepEqual(
      [isUnknown(unknownValue), isUnknown("x"), isUnknown([unknownValue])],
      [true, false, false],
    );
    assert.deepEqual(
      [unknownValue, [unknownValue], { a: [{ b: unknownValue }] }, null, undefined, "x", { a: null }].map(
        containsUnknown,
      ),
      [true, true, true, false, false, false, false],
    );
  });

  it("lose what is undefined, at any depth, and nothing else", () => {
    assert.deepEqual(withoutUndefined({ a: undefined, b: null, c: [{ d: undefined, e: 0 }], f: "" }), {
      b: null,
      c: [{ e: 0 }],
      f: "",
    });
    assert.deepEqual(
      [withoutUndefined(undefined), withoutUndefined("x"), withoutUndefined(null)],
      [undefined, "x", null],
    );
  });

  it("are told from a URN, whose name may hold what parts it", () => {
    const ours = "urn:pulumi:dev::shop::a:b:Team$pulumi-nodejs:dynamic/page-guard:WafMigrationStep";
    assert.deepEqual(urnParts(`${ours}::a::b$c::waf-step`), {
      types: "a:b:Team$pulumi-nodejs:dynamic/page-guard:WafMigrationStep",
      type: "pulumi-nodejs:dynamic/page-guard:WafMigrationStep",
      name: "a::b$c::waf-step",
    });
    assert.equal(declaredAsIn(`${ours}::a::waf-step`), "WafMigration a::waf");
    assert.equal(declaredAsIn(`${ours}::two-step-waf-step`), "WafMigration two-step-waf");
    assert.equal(declaredAsIn("urn:pulumi:dev::shop::a:b:SomeStep::a-step"), "a:b:SomeStep a-step");
    for (const name of ["", "waf", "a::b::c"])
      assert.deepEqual(urnParts(name), { types: "", type: "", name });
  });

  it("name the same zone in either case, and other values only when they are the same", () => {
    assert.ok(isSameZone(zoneA.toUpperCase(), zoneA));
    assert.ok(!isSameZone("aB", "ac"));
    assert.ok(isSameZone(undefined, undefined));
    assert.ok(!isSameZone(undefined, "a"));
    assert.ok(!isSameZone("a", undefined));
  });
});
