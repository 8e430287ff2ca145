import assert from "node:assert/strict";
import type { z } from "zod";
import type { EntrypointBody } from "../../../provider/src/api/client-types";
import { policySchema, scriptSchema, settingsSchema } from "../../../provider/src/api/wire/page-guard-schema";
import { wafOperations } from "../../../provider/src/api/wire/waf-operations";
import * as waf from "../../../provider/src/api/wire/waf-schema";
import { ApiError } from "../../../provider/src/errors/api-error";
import { connection, read, saying } from "./saying";
import { ZONE } from "./scripted-server";

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

  const badVersion = { id: "a", url: "u", versions: [{}, { hash: 3 }] };
  const wrong: [string, z.ZodType, unknown, string][] = [
    ["settings without enabled", settingsSchema, {}, "result.enabled"],
    ["a script without URL", scriptSchema, { id: "a" }, "result.url"],
    ["a version deep inside", scriptSchema, badVersion, "result.versions[1].hash"],
    ["a string instead of an object", policySchema, "hello", "result"],
    ["compatible missing", waf.compatibilitySchema, { migration_state: "start" }, "result.compatible"],
    ["a rule without action", waf.entrypointSchema, { rules: [{}] }, "result.rules[0].action"],
  ];
  for (const [name, schema, result, field] of wrong) {
    it(`reports the field and the operation: ${name}`, () => {
      const check = (error: unknown) => {
        assert.ok(error instanceof ApiError && error.code === "PG_UNEXPECTED_ANSWER");
        return error.message.includes(field) && error.message.startsWith("Failed to read");
      };
      assert.throws(() => read(schema, result), check);
    });
  }
});

/** Returns the request body that the client sends for a list. */
async function captureBody(list: EntrypointBody): Promise<unknown> {
  const { asked, send } = saying({ result: { rules: list.rules } });
  await wafOperations(send, connection).putEntrypoint(ZONE, list);
  return asked[0]?.body;
}

describe("The schema of WAF responses", () => {
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

  it("returns rules to the service unchanged, and adds nothing to an override", async () => {
    const [rule] = read(waf.entrypointSchema, { id: "e", rules: [wireRule] }).rules;
    assert.ok(rule);
    const { version, lastUpdated: _, ...kept } = rule;
    assert.equal(version, "3");
    const body = await captureBody({ name: "default", rules: [kept] });
    const { version: _v, last_updated: _l, ...expected } = wireRule;
    assert.deepEqual(body, { name: "default", rules: [expected] });
  });

  it("reads an entry point whose rules are missing or null", () => {
    assert.deepEqual(read(waf.entrypointSchema, { id: "e", name: "default" }).rules, []);
    assert.deepEqual(read(waf.entrypointSchema, { rules: null }), { rules: [] });
  });

  it("keeps the migration state and any unknown field of the check", () => {
    assert.equal(read(waf.wafStatusSchema, { migration_state: "pending" }).migrationState, "pending");
    assert.deepEqual(read(waf.compatibilitySchema, { compatible: "true", migration_state: null, why: "x" }), {
      compatible: true,
      extra: { why: "x" },
    });
  });

  it("reads overrides by URI", () => {
    assert.deepEqual(read(waf.uriOverrideListSchema, [{ id: "o", urls: ["a/*"], rules: {} }, { id: "p" }]), [
      { id: "o", urls: ["a/*"] },
      { id: "p", urls: [] },
    ]);
    assert.deepEqual(read(waf.uriOverrideListSchema, null), []);
  });
});

describe("The WAF status that the service reports", () => {
  const rows: readonly [object, boolean | undefined, boolean | undefined][] = [
    [{}, undefined, undefined],
    [{ old_waf_status: "off", new_waf_status: "on" }, false, true],
    [{ old_waf_status: " Disabled ", new_waf_status: "ACTIVE" }, false, true],
    [{ old_waf_status: false, new_waf_status: true }, false, true],
    [{ waf_old_enabled: false, waf_new_enabled: true }, false, true],
    [{ new_waf_enabled: true, status_new: "off" }, undefined, undefined],
    [{ renewed_at: "on", golden_waf: true }, undefined, undefined],
    [{ old_waf_status: "off soon", new_waf_status: "not on" }, undefined, undefined],
    [{ old_waf_status: "cutoff", new_waf_status: "only" }, undefined, undefined],
    [{ old_waf_status: 1, new_waf_status: null }, undefined, undefined],
    // The exact field names win over similar ones.
    [{ old_waf_status: "off", old_enabled: true }, false, undefined],
    [{ old: "stopped", new: { enabled: true } }, false, true],
    [{ waf_old: "none", state_of_new: "running" }, false, true],
    [{ old_waf: { Status: "inactive" }, new_waf: { active: "deployed" } }, false, true],
    [{ old_waf: { details: { status: "on" } }, new_waf: { status: { active: true } } }, undefined, undefined],
    [{ old_waf: { substatus: "on" }, new_waf: { status_text: "on" } }, undefined, undefined],
    [{ old_waf: { rules: 5, status: "off" } }, false, undefined],
    // Two fields that contradict each other mean unknown. Fields that agree count. A field without a known word is ignored.
    [{ old_waf: "on", old_state: "off" }, undefined, undefined],
    [{ old_waf: "on", old_state: "on", old_status: "?" }, true, undefined],
    [{ gold_status: "on", newest_status: "on" }, undefined, undefined],
  ];
  for (const [record, oldEnabled, newEnabled] of rows) {
    it(`is read from ${JSON.stringify(record)}`, () => {
      const read = waf.wafStatusSchema.parse(record);
      assert.deepEqual([read.oldEnabled, read.newEnabled], [oldEnabled, newEnabled]);
      assert.deepEqual(read.record, record);
    });
  }

  it("includes the state of the migration if a field gives it in words", () => {
    const stateOf = (record: object) => waf.wafStatusSchema.parse(record).migrationState;
    assert.equal(stateOf({ migration_state: "a", migration_mode: "b", mode: "c" }), "a");
    assert.equal(stateOf({ migration_mode: "b", mode: "c" }), "b");
    assert.equal(stateOf({ mode: "c" }), "c");
    assert.equal(stateOf({ mode: 3 }), undefined);
  });
});
