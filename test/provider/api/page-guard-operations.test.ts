import assert from "node:assert/strict";
import { pageGuardOperations } from "../../../provider/src/api/wire/page-guard-operations";
import { pathId } from "../../../provider/src/api/wire/requests";
import { ItemGoneError, NotFoundError, refusedRequest } from "../../../provider/src/errors/api-error";
import { InputError } from "../../../provider/src/errors/page-guard-error";
import { connection, facts, saying } from "./saying";
import { ZONE } from "./scripted-server";

describe("Changes of the settings", () => {
  const answered = {
    result: {
      enabled: true,
      updated_at: "2026-01-01T00:00:00Z",
      use_vendor_reporting_endpoint: true,
      use_connection_url_path: true,
    },
  };
  const sent = async (change: object, service: "page_guard" | "page_shield" = "page_guard") => {
    const { asked, send } = saying(answered);
    await pageGuardOperations(send, { ...connection, service }).updateSettings(ZONE, change);
    assert.equal(asked.length, 1, "what was answered is whole");
    return asked[0]?.body;
  };

  it("hold what is to change and nothing else, in the words of the service", async () => {
    assert.deepEqual(await sent({ enabled: false }), { enabled: false });
    assert.deepEqual(await sent({ useConnectionUrlPath: true }), { use_connection_url_path: true });
    assert.deepEqual(await sent({ useVendorReportingEndpoint: false }), {
      use_vendor_reporting_endpoint: false,
    });
    assert.deepEqual(await sent({ useVendorReportingEndpoint: false }, "page_shield"), {
      use_cloudflare_reporting_endpoint: false,
    });
    assert.deepEqual(await sent({}), {});
  });
});

describe("An item requested by its id", () => {
  const gone = (error: Error) =>
    pageGuardOperations(saying(error).send, connection).getItem("scripts", ZONE, "s1");

  it("is gone where the service says so, with what is known of the request; a route that does not exist is none that is gone", async () => {
    await assert.rejects(gone(new NotFoundError({ ...facts, httpStatus: 404 })), (error) => {
      assert.ok(error instanceof ItemGoneError);
      assert.equal(error.facts.httpStatus, 404);
      assert.equal(error.outcome, "refused");
      return true;
    });
    const malformed = new NotFoundError({ ...facts, apiCode: 7003 });
    await assert.rejects(gone(malformed), malformed);
    const failed = refusedRequest("PG_SERVICE", facts);
    await assert.rejects(gone(failed), failed);
  });

  it("has an id that is one step of a path, or is refused with what came, shortened", () => {
    assert.equal(pathId("a-B_9", "id"), "a-B_9");
    assert.equal(pathId("a".repeat(128), "id").length, 128);
    assert.throws(() => pathId("", "zoneId"), /zoneId is empty/);
    for (const id of ["..", "a/b", "a%2e", "a".repeat(129), "a b"]) {
      assert.throws(
        () => pathId(id, "id"),
        (error) => {
          assert.ok(error instanceof InputError);
          assert.match(error.message, /id cannot be an id: "/);
          assert.ok(error.message.length < 260, error.message);
          return true;
        },
      );
    }
  });
});

describe("The query of a page", () => {
  const asked = async (query: Parameters<ReturnType<typeof pageGuardOperations>["listAll"]>[2]) => {
    const { asked: requests, send } = saying({ result: [] });
    await pageGuardOperations(send, connection).listAll("scripts", ZONE, query);
    return requests[0]?.path.split("?")[1];
  };

  it("spells each filter as the service does, and leaves out what is not given", async () => {
    const query = {
      hosts: ["a", "b"],
      urlContains: "x y",
      excludeCdn: undefined,
      status: "all",
      exportAll: false,
    };
    assert.equal(
      await asked({ ...query, perPage: 7, page: 9, direction: "" }),
      "hosts=a%2Cb&url_contains=x+y&status=active%2Cinfrequent%2Cinactive&export_all=false&page=1&per_page=7",
    );
    assert.equal(await asked({ status: "active" }), "status=active&page=1&per_page=100");
  });
});
