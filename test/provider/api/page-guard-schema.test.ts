import assert from "node:assert/strict";
import type { z } from "zod";
import {
  cookieSchema,
  policySchema,
  scriptSchema,
  settingsSchema,
} from "../../../provider/src/api/wire/page-guard-schema";
import { compatibilitySchema, entrypointSchema } from "../../../provider/src/api/wire/waf-schema";
import { ApiError } from "../../../provider/src/errors/api-error";
import { read } from "./saying";

describe("answers of the Page Guard API", () => {
  it("reads settings in both spellings, with what is missing left out", () => {
    assert.deepEqual(read(settingsSchema, { enabled: true, use_vendor_reporting_endpoint: false }), {
      enabled: true,
      useVendorReportingEndpoint: false,
    });
    assert.deepEqual(
      read(settingsSchema, { enabled: "false", use_cloudflare_reporting_endpoint: true, updated_at: null }),
      { enabled: false, useVendorReportingEndpoint: true },
    );
  });

  for (const enabled of [true, "true"]) {
    it(`reads a policy whose enabled is ${JSON.stringify(enabled)}`, () => {
      const policy = { id: "p", description: "d", action: "log", expression: "true", value: "img-src *" };
      assert.equal(read(policySchema, { ...policy, enabled, made_up: 1 }).enabled, true);
    });
  }

  it("reads an action that only a newer service knows", () => {
    const policy = {
      id: "p",
      description: null,
      action: "add_reporting_directives",
      expression: "true",
      enabled: false,
    };
    assert.equal(read(policySchema, { ...policy, value: "" }).action, "add_reporting_directives");
  });

  it("leaves out what a plan does not have, and keeps what it does not know", () => {
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

  it("reads a cookie without a maximum age", () => {
    const cookie = read(cookieSchema, {
      id: "c",
      name: "sid",
      max_age_attribute: null,
      secure_attribute: true,
    });
    assert.deepEqual(cookie, { id: "c", name: "sid", secureAttribute: true });
  });

  it("does not let a field named __proto__ reach anything", () => {
    const wire: unknown = JSON.parse('{"id":"a","url":"u","__proto__":{"host":"evil","polluted":true}}');
    const script = read(scriptSchema, wire);
    assert.equal(script.host, undefined);
    assert.equal(Object.getPrototypeOf(script), Object.prototype);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  const wrong: [string, z.ZodType, unknown, string][] = [
    ["settings without enabled", settingsSchema, {}, "result.enabled"],
    [
      "a score that is a word",
      scriptSchema,
      { id: "a", url: "u", js_integrity_score: "nine" },
      "result.js_integrity_score",
    ],
    ["a script without URL", scriptSchema, { id: "a" }, "result.url"],
    [
      "a version deep inside",
      scriptSchema,
      { id: "a", url: "u", versions: [{}, { hash: 3 }] },
      "result.versions[1].hash",
    ],
    ["no object at all", policySchema, "hello", "result"],
    ["compatible missing", compatibilitySchema, { migration_state: "start" }, "result.compatible"],
    [
      "a rule without action",
      entrypointSchema,
      { rules: [{ expression: "true" }] },
      "result.rules[0].action",
    ],
  ];
  for (const [name, schema, result, field] of wrong) {
    it(`names the field and the operation: ${name}`, () => {
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
