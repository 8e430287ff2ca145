import assert from "node:assert/strict";
import type { ResultInfo } from "../../../provider/src/api/wire/envelope";
import { wafOperations } from "../../../provider/src/api/wire/waf-operations";
import { NotFoundError, refusedRequest } from "../../../provider/src/errors/api-error";
import { InputError } from "../../../provider/src/errors/page-guard-error";
import { connection, facts, saying } from "./saying";
import { ZONE } from "./scripted-server";

describe("The list of URI overrides of the previous WAF", () => {
  const page = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => ({ id: `o${from + index}`, urls: [] }));
  type Pages = readonly { result: unknown; info?: ResultInfo }[];
  /** Returns pages of `size` overrides with the information that the service adds. */
  const pages = (size: number, numbers: readonly number[], info?: ResultInfo): Pages =>
    numbers.map((number) => ({ result: page(size, number * size), ...(info && { info }) }));
  const reported = { result: page(3, 20), info: { perPage: 20 } };
  const rows: readonly [string, Pages, number, number][] = [
    ["ends with a page that is not full", [...pages(50, [0]), { result: page(10, 50) }], 60, 2],
    ["continues after a full page", [...pages(50, [0, 1]), { result: [] }], 100, 3],
    ["ends with an empty first page", [{ result: [] }], 0, 1],
    ["ends according to the page size that is reported", [...pages(20, [0], reported.info), reported], 23, 2],
    ["ends after the reported number of pages", pages(5, [0, 1, 2, 3], { totalPages: 3 }), 15, 3],
  ];
  for (const [what, answers, count, requests] of rows) {
    it(what, async () => {
      const { asked, send } = saying(...answers);
      assert.equal((await wafOperations(send, connection).listUriOverrides(ZONE)).length, count);
      assert.equal(asked.length, requests);
      assert.match(asked.at(-1)?.path ?? "", new RegExp(`\\?page=${requests}&per_page=50$`));
    });
  }

  it("is empty if the service does not show overrides, and cannot be read if the service fails", async () => {
    const overrides = (error: Error) => wafOperations(saying(error).send, connection).listUriOverrides(ZONE);
    for (const httpStatus of [404, 410]) {
      assert.deepEqual(await overrides(new NotFoundError({ ...facts, httpStatus })), []);
      assert.deepEqual(await overrides(refusedRequest("PG_SERVICE", { ...facts, httpStatus })), []);
    }
    for (const error of [
      new NotFoundError({ ...facts, httpStatus: 404, apiCode: 7003 }),
      new NotFoundError({ ...facts, httpStatus: 400, apiCode: 7003 }),
      refusedRequest("PG_REFUSED", { ...facts, httpStatus: 405 }),
      refusedRequest("PG_REFUSED", { ...facts, httpStatus: 400, apiCode: 7000 }),
      refusedRequest("PG_REFUSED", { ...facts, httpStatus: 403 }),
      refusedRequest("PG_SERVICE", { ...facts, httpStatus: 501 }),
    ])
      assert.deepEqual(await overrides(error), []);
    for (const error of [
      refusedRequest("PG_SERVICE", { ...facts, httpStatus: 500 }),
      refusedRequest("PG_SERVICE", { ...facts, httpStatus: 408 }),
      refusedRequest("PG_SERVICE", facts),
      refusedRequest("PG_RATE_LIMITED", { ...facts, httpStatus: 429 }),
      new InputError("zoneId", "no"),
    ])
      await assert.rejects(overrides(error), error);
    const later = saying({ result: page(50) }, new NotFoundError({ ...facts, httpStatus: 404 }));
    assert.equal((await wafOperations(later.send, connection).listUriOverrides(ZONE)).length, 50);
  });
});

describe("The entry point", () => {
  const read = (error: Error) => wafOperations(saying(error).send, connection).getEntrypoint(ZONE);

  it("is undefined if the zone never had one, and reading it fails if the zone is unknown", async () => {
    assert.equal(await read(new NotFoundError({ ...facts, httpStatus: 404, apiCode: 10003 })), undefined);
    assert.equal(await read(new NotFoundError({ ...facts, httpStatus: 404 })), undefined);
    assert.equal(await read(refusedRequest("PG_REFUSED", { ...facts, apiCode: 10003 })), undefined);
    for (const error of [
      new NotFoundError({ ...facts, apiCode: 7003 }),
      new NotFoundError({ ...facts, httpStatus: 404, apiCode: 7000 }),
      refusedRequest("PG_REFUSED", { ...facts, apiCode: 10004 }),
      refusedRequest("PG_REFUSED", facts),
      refusedRequest("PG_SERVICE", { ...facts, apiCode: 10003 }),
    ])
      await assert.rejects(read(error), error);
  });
});
