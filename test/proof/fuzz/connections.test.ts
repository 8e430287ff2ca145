import assert from "node:assert/strict";
import fc from "fast-check";
import { resolveConnection } from "../../../provider/src/api/connection";
import { PageGuardError } from "../../../provider/src/errors/page-guard-error";
import { odd } from "./corpus";
import { anyText, feed } from "./fuzz";

describe("Any connection that people may write", () => {
  it("can be used, or is refused with one of our messages, which never contains the token", () => {
    const token = "a-token-that-nobody-may-see";
    const values = anyText([
      ..."https:// http:// localhost 127.0.0.1 /v4 user:pass@ ? # page_shield".split(" "),
      ...odd,
    ]);
    const args = fc.record({ baseUrl: values, service: values }, { requiredKeys: [] });
    feed(fc.tuple(args, values), ([{ baseUrl, service }, fromConfig]) => {
      try {
        resolveConnection(
          { ...(baseUrl !== undefined && { baseUrl }), ...(service !== undefined && { service }) } as never,
          { PAGE_GUARD_API_TOKEN: token },
          () => fromConfig,
        );
      } catch (error) {
        assert.ok(error instanceof PageGuardError, String(error));
        assert.ok(!error.message.includes(token));
      }
    });
  });
});
