import assert from "node:assert/strict";
import fc from "fast-check";
import type { z } from "zod";
import { rateHeaders } from "../../../provider/src/api/rate-limit/rate-headers";
import { readAnswer } from "../../../provider/src/api/wire/envelope";
import * as pageGuard from "../../../provider/src/api/wire/page-guard-schema";
import * as waf from "../../../provider/src/api/wire/waf-schema";
import { startSimulator } from "../../../simulator/src";
import { odd } from "./corpus";
import { anyText, damaged, feed } from "./fuzz";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const pieces = [
  '{"success":',
  "true",
  "false",
  ',"result":',
  "[",
  "]",
  "{",
  "}",
  ',"errors":[',
  '{"code":1}',
  "null",
];

describe("Answers of the service, whatever comes", () => {
  const samples = new Map<z.ZodType, unknown>();

  before("real answers, as the simulator gives them", async () => {
    const sim = await startSimulator();
    sim.zones.seed(zoneId, {
      policies: [{ description: "one" }],
      entrypoint: { rules: [{ action: "execute", expression: "true", action_parameters: { id: zoneId } }] },
      waf: { firewallRules: 1, owasp: true, uriOverrides: 1 },
    });
    const result = async (path: string): Promise<unknown> => {
      const headers = { authorization: `Bearer ${sim.token}` };
      const answer = Object(await (await fetch(`${sim.url}/zones/${zoneId}/${path}`, { headers })).json());
      assert.equal(answer.success, true, path);
      return answer.result;
    };
    const first = async (path: string): Promise<unknown> => Object(await result(path))[0];
    samples.set(pageGuard.settingsSchema, await result("page_guard"));
    samples.set(pageGuard.policyListSchema, await result("page_guard/policies"));
    samples.set(pageGuard.scriptSchema, await first("page_guard/scripts"));
    samples.set(pageGuard.connectionSchema, await first("page_guard/connections"));
    samples.set(pageGuard.cookieSchema, await first("page_guard/cookies"));
    const phase = "rulesets/phases/http_request_firewall_managed/entrypoint";
    samples.set(waf.entrypointSchema, await result(phase));
    samples.set(waf.compatibilitySchema, await result("waf_migration/check?phase_two=1"));
    samples.set(waf.wafConfigurationSchema, await result("waf_migration/config?phase_two=1"));
    samples.set(waf.wafStatusSchema, await result("waf_migration/status"));
    await sim.stop();
  });

  it("the schemas take what is right and refuse what is not, and never throw", () => {
    for (const [schema, sample] of samples) {
      assert.equal(schema.safeParse(sample).success, true, JSON.stringify(sample));
      feed(fc.oneof(damaged([sample]), fc.jsonValue()), (value) => {
        schema.safeParse(value);
      });
    }
    assert.equal(Reflect.get({}, "polluted"), undefined);
  });

  it("the envelope is read, refused or called unreadable, and its problem quotes nothing", () => {
    const read = (status: number, body: string, type?: string): void => {
      const reading = readAnswer({ status, headers: { "content-type": type }, body });
      assert.ok(["ok", "refusal", "unreadable"].includes(reading.kind));
      if (reading.kind === "unreadable") assert.ok(reading.problem.length < 200, reading.problem);
    };
    for (const body of odd) for (const status of [200, 204, 302, 400, 429, 500]) read(status, body);
    const bodies = fc.oneof(
      anyText([...pieces, ...odd]),
      damaged([
        { success: true, errors: [], messages: [], result: { id: "1" }, result_info: { page: 1 } },
      ]).map((value) => JSON.stringify(value)),
    );
    feed(
      fc.tuple(fc.integer({ min: 100, max: 599 }), bodies, anyText(["text/html", "json"])),
      ([status, body, type]) => read(status, body, type),
    );
  });

  it("the headers of the rate limit are understood or passed over: no wait is negative, endless or no number", () => {
    const names = ["retry-after", "ratelimit", "ratelimit-policy"];
    const values = anyText([
      "0",
      "1",
      "9",
      "-",
      ".",
      ";",
      "q=",
      "w=",
      "r=",
      "t=",
      '"',
      ",",
      "Thu, 01 Jan 2026 00:00:00 GMT",
      ...odd,
    ]);
    const now = Date.UTC(2026, 0, 1);
    feed(fc.dictionary(fc.constantFrom(...names), values), (headers) => {
      for (const value of numbersIn(rateHeaders(headers, now))) {
        assert.ok(Number.isFinite(value) && value >= 0, `${value} of ${JSON.stringify(headers)}`);
      }
    });
  });
});

function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}
