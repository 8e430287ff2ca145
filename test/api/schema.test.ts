import assert from "node:assert/strict";
import type { z } from "zod";
import {
  cookieSchema,
  policySchema,
  scriptSchema,
  settingsSchema,
} from "../../provider/src/api/wire/page-guard-schema";
import { parseResult } from "../../provider/src/api/wire/requests";
import { entrypointBody } from "../../provider/src/api/wire/waf-body";
import {
  compatibilitySchema,
  entrypointSchema,
  uriOverrideListSchema,
  wafConfigurationSchema,
  wafStatusSchema,
} from "../../provider/src/api/wire/waf-schema";
import { UnexpectedAnswerError } from "../../provider/src/errors/unexpected-answer-error";

const facts = { operation: "get a thing", zoneId: "z", outcome: "unknown" } as const;

function read<T>(schema: z.ZodType<T>, result: unknown): T {
  return parseResult(schema, { result, facts }, "token");
}

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
          assert.ok(error instanceof UnexpectedAnswerError);
          assert.equal(error.field, field);
          assert.ok(error.message.includes(field) && error.message.includes("get a thing"));
          return true;
        },
      );
    });
  }
});

describe("answers of the WAF APIs", () => {
  const wireRule = {
    id: "r1",
    version: "3",
    ref: "r1",
    action: "execute",
    expression: "true",
    last_updated: "2026-01-01T00:00:00Z",
    logging: { enabled: true },
    action_parameters: {
      id: "m1",
      version: "latest",
      overrides: {
        categories: [{ category: "wordpress", action: "log" }],
        sensitivity_level: "low",
        rules: [
          { id: "x", action: "log", score_threshold: 40 },
          { id: "y", enabled: false },
        ],
      },
    },
  };

  it("sends rules back as they came, with nothing invented in an override", () => {
    const [rule] = read(entrypointSchema, { id: "e", rules: [wireRule] }).rules;
    assert.ok(rule);
    const { version, lastUpdated: _, ...kept } = rule;
    assert.equal(version, "3");
    const body = entrypointBody({ name: "default", rules: [kept] });
    const { version: _v, last_updated: _l, ...expected } = wireRule;
    assert.deepEqual(body, { name: "default", rules: [expected] });
  });

  it("sends the empty strings of a proposed configuration as they are", () => {
    const proposed = { id: "", version: "", ref: "", action: "execute", expression: "true", enabled: true };
    const { rules, name } = read(wafConfigurationSchema, { name: "default", rules: [proposed] });
    assert.deepEqual(entrypointBody({ name, rules }), { name: "default", rules: [proposed] });
  });

  it("leaves out what is absent", () => {
    assert.deepEqual(entrypointBody({ rules: [{ action: "skip", expression: "true" }] }), {
      rules: [{ action: "skip", expression: "true" }],
    });
  });

  it("reads an entry point whose rules are left out, or null", () => {
    assert.deepEqual(read(entrypointSchema, { id: "e", name: "default" }).rules, []);
    assert.deepEqual(read(entrypointSchema, { rules: null }), { rules: [] });
  });

  const statuses: [Record<string, unknown>, boolean | undefined, boolean | undefined][] = [
    [{ old_waf_status: true, new_waf_status: false }, true, false],
    [{ old_waf_status: "off", new_waf_status: "on" }, false, true],
    [{ old_waf_status: "Disabled", new_waf_status: "ENABLED" }, false, true],
    [{ old_waf: { enabled: false }, new_waf: { status: "active" } }, false, true],
    [{ waf_old_enabled: false, waf_new_enabled: true }, false, true],
    [{ old_waf_status: "thinking", new_waf_status: null }, undefined, undefined],
    [{ new_waf_enabled: true, status_new: "off" }, undefined, undefined],
    [{ renewed_at: "on", golden_waf: true }, undefined, undefined],
    [{}, undefined, undefined],
  ];
  for (const [record, oldEnabled, newEnabled] of statuses) {
    it(`takes hints from ${JSON.stringify(record)}`, () => {
      const status = read(wafStatusSchema, record);
      assert.deepEqual([status.oldEnabled, status.newEnabled], [oldEnabled, newEnabled]);
      assert.deepEqual(status.record, record);
    });
  }

  it("takes the migration state, and any unknown field of the check along", () => {
    assert.equal(read(wafStatusSchema, { migration_state: "pending" }).migrationState, "pending");
    assert.deepEqual(read(compatibilitySchema, { compatible: "true", migration_state: null, why: "x" }), {
      compatible: true,
      extra: { why: "x" },
    });
  });

  it("reads overrides by URI", () => {
    assert.deepEqual(read(uriOverrideListSchema, [{ id: "o", urls: ["a/*"], rules: {} }, { id: "p" }]), [
      { id: "o", urls: ["a/*"] },
      { id: "p", urls: [] },
    ]);
    assert.deepEqual(read(uriOverrideListSchema, null), []);
  });
});
