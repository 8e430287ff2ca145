import assert from "node:assert/strict";
import type { z } from "zod";
import { policySchema, scriptSchema, settingsSchema } from "../../../provider/src/api/wire/page-guard-schema";
import { compatibilitySchema, entrypointSchema } from "../../../provider/src/api/wire/waf-schema";
import { ApiError } from "../../../provider/src/errors/api-error";
import { read } from "./saying";

describe("The schema of Page Guard responses", () => {
  it("omits fields that the zone's plan lacks, and keeps unknown fields", () => {
    const script = read(scriptSchema, {
      id: "a1",
      url: "https://x.example/a.js",
      hash: null,
      js_integrity_score: null,
      obfuscation_score: 7,
      brand_new: { deep: [1] },
      versions: [{ hash: "h", js_integrity_score: null, also_new: true }],
    });
    assert.deepEqual(script, {
      id: "a1",
      url: "https://x.example/a.js",
      obfuscationScore: 7,
      extra: { brand_new: { deep: [1] } },
      versions: [{ hash: "h", extra: { also_new: true } }],
    });
  });

  it("ignores a field named __proto__", () => {
    const wire: unknown = JSON.parse('{"id":"a","url":"u","__proto__":{"host":"evil","polluted":true}}');
    const script = read(scriptSchema, wire);
    assert.equal(script.host, undefined);
    assert.equal(Object.getPrototypeOf(script), Object.prototype);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  const wrong: [string, z.ZodType, unknown, string][] = [
    ["settings without enabled", settingsSchema, {}, "result.enabled"],
    ["a script without URL", scriptSchema, { id: "a" }, "result.url"],
    [
      "a version deep inside",
      scriptSchema,
      { id: "a", url: "u", versions: [{}, { hash: 3 }] },
      "result.versions[1].hash",
    ],
    ["a string instead of an object", policySchema, "hello", "result"],
    ["compatible missing", compatibilitySchema, { migration_state: "start" }, "result.compatible"],
    [
      "a rule without action",
      entrypointSchema,
      { rules: [{ expression: "true" }] },
      "result.rules[0].action",
    ],
  ];
  for (const [name, schema, result, field] of wrong) {
    it(`reports the field and the operation: ${name}`, () => {
      assert.throws(
        () => read(schema, result),
        (error: unknown) => {
          assert.ok(error instanceof ApiError && error.code === "PG_UNEXPECTED_ANSWER");
          assert.ok(error.message.includes(field) && error.message.startsWith("Failed to read"));
          return true;
        },
      );
    });
  }
});
