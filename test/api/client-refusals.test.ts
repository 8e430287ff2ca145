import assert from "node:assert/strict";
import { createClient } from "../../provider/src/api/create-client";
import { failure, useScriptedServer } from "./scripted-client";
import { json, refusal, TOKEN, ZONE } from "./scripted-server";

describe("the client, when the service refuses", () => {
  const desk = useScriptedServer();

  describe("names each refusal", () => {
    const refusals: [string, ReturnType<typeof refusal>, string, RegExp][] = [
      [
        "401",
        refusal(401, undefined, "no"),
        "PG_AUTHENTICATION",
        /CI_TOKEN[\s\S]*Page Shield Read[\s\S]*Page Shield Write/,
      ],
      ["403", refusal(403, 9109, "Unauthorized"), "PG_AUTHENTICATION", /permission/],
      ["code 10000", refusal(400, 10000, "Authentication error"), "PG_AUTHENTICATION", /token/],
      ["not entitled", refusal(403, 1, "zone is not entitled to x"), "PG_NOT_ENTITLED", /plan/],
      [
        "quota",
        refusal(400, 2, "exceeded the maximum number of rules in the phase x: 51 out of 50"),
        "PG_QUOTA",
        /full/,
      ],
      [
        "a quota of nothing",
        refusal(400, 2, "exceeded the maximum number of rules in the phase x: 1 out of 0"),
        "PG_NOT_ENTITLED",
        /plan/,
      ],
      ["enrollment", refusal(403, 3, "WAF enrollment is required"), "PG_WAF_ENROLLMENT", /WafMigration/],
      ["404", refusal(404, 4, "no"), "PG_NOT_FOUND", /deleted/],
      ["7003", refusal(400, 7003, "no route"), "PG_NOT_FOUND", /zone id is malformed/],
      ["400", refusal(400, 5, "bad expression"), "PG_REFUSED", /"bad expression"/],
      ["409", refusal(409, 5, "conflict"), "PG_REFUSED", /conflict/],
      ["success: false with 200", refusal(200, 1004, "nope"), "PG_REFUSED", /nope/],
    ];
    for (const [name, reply, code, pattern] of refusals) {
      it(name, async () => {
        desk.server.script(reply);
        const error = await failure(desk.client().putEntrypoint(ZONE, { rules: [] }));
        assert.equal(error.code, code);
        assert.match(error.message, pattern);
        assert.match(
          error.message,
          new RegExp(`^Failed to update the WAF entry point: .*\\(zone ${ZONE}, HTTP `),
        );
        assert.equal(error.outcome, "refused");
        assert.equal(desk.server.received.length, 1, "it was not sent again");
      });
    }

    it("with the place in the body and the request's id when the service gives them", async () => {
      const errors = [{ code: 6, message: "bad", source: { pointer: "/rules/0/expression" } }];
      desk.server.script(json(400, { success: false, errors, result: null }, { "cf-ray": "ray-1" }));
      const error = await failure(desk.client().putEntrypoint(ZONE, { rules: [] }));
      assert.match(error.message, /\/rules\/0\/expression/);
      assert.deepEqual(
        [error.facts.httpStatus, error.facts.apiCode, error.facts.requestId],
        [400, 6, "ray-1"],
      );
    });

    it("quotes the service in at most 200 characters, without control characters and without the token", async () => {
      const evil = `a\u001b[31mred\u0000 ${TOKEN.slice(0, 9)}\u200b${TOKEN.slice(9)} ${"x".repeat(500)}`;
      desk.server.script(refusal(400, 7, evil, { "x-request-id": TOKEN }));
      const { message } = await failure(desk.client().putEntrypoint(ZONE, { rules: [] }));
      assert.match(message, /a\[31mred \[token\] x/);
      assert.ok(message.length < 700);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
      assert.doesNotMatch(message, /[\u0000-\u001f\u007f]/);
    });
  });

  it("refuses a limit or time in the environment that makes no sense", () => {
    for (const [name, value] of [
      ["PAGE_GUARD_TIMEOUT_MS", "soon"],
      ["PAGE_GUARD_TIMEOUT_MS", "0"],
      ["PAGE_GUARD_MAX_REQUESTS_PER_5M", "-1"],
      ["HTTPS_PROXY", "proxy.example:3128"],
    ] as const) {
      const connection = {
        baseUrl: "https://api.example.test/v4",
        token: TOKEN,
        service: "page_guard",
      } as const;
      assert.throws(
        () => createClient(connection, { env: { [name]: value } }),
        new RegExp(`InputError.*${name}`),
      );
    }
  });
});
