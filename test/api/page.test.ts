import assert from "node:assert/strict";
import {
  boundPages,
  bringsNew,
  lastPage,
  type Page,
  pageSize,
  sizeOf,
} from "../../provider/src/api/paging/page";
import { TooManyPagesError } from "../../provider/src/errors/page-guard-error";

const page = (count: number, info?: Page<unknown>["info"]): Page<{ id: string }> => ({
  items: Array.from({ length: count }, (_, index) => ({ id: String(index) })),
  info,
});

describe("the pages of a list", () => {
  const sizes: readonly [Parameters<typeof pageSize>[0], number][] = [
    [{}, 100],
    [{ perPage: 20 }, 20],
    [{ perPage: 500 }, 100],
    [{ perPage: 0 }, 1],
    [{ limit: 7 }, 7],
    [{ limit: 700 }, 100],
    [{ limit: 7, perPage: 5 }, 5],
    [{ limit: 0 }, 1],
  ];
  for (const [options, expected] of sizes) {
    it(`asks for ${expected} items with ${JSON.stringify(options)}`, () => {
      assert.equal(pageSize(options), expected);
    });
  }

  const real: readonly [string, Page<unknown>, number][] = [
    ["that of the first page, where nothing is told", page(3), 3],
    ["as asked, where nothing is told and nothing came", page(0), 50],
    ["that of the first page, where only pages are counted", page(20, { totalPages: 5 }), 20],
    ["as told", page(20, { perPage: 20 }), 20],
    ["never more than asked for", page(80, { perPage: 80 }), 50],
    ["that of the first page, where none is told", page(3, { perPage: 0 }), 3],
    ["that of the first page, where more are to come", page(20, { totalCount: 90 }), 20],
    ["as asked, where the first page has all", page(20, { totalCount: 20 }), 50],
    ["as asked, where the first page is empty though more are told", page(0, { totalCount: 90 }), 50],
    ["never more than asked for, whatever came", page(80, { totalCount: 90 }), 50],
  ];
  for (const [what, first, expected] of real) {
    it(`takes for the size of a page: ${what}`, () => {
      assert.equal(sizeOf(first, 50), expected);
    });
  }

  const lasts: readonly [string, Page<unknown>, number, number | undefined][] = [
    ["the count tells", page(50, { totalCount: 101 }), 1e9, 3],
    ["an exact count is no page more", page(50, { totalCount: 100 }), 1e9, 2],
    ["an empty list has one", page(0, { totalCount: 0 }), 1e9, 1],
    ["no more than the limit needs, by the count", page(50, { totalCount: 1000 }), 120, 3],
    ["pages that are told", page(50, { totalPages: 4 }), 1e9, 4],
    ["no pages at all are one", page(0, { totalPages: 0 }), 1e9, 1],
    ["no more than the limit needs, by pages", page(50, { totalPages: 9 }), 100, 2],
    ["the count goes before the pages", page(50, { totalCount: 60, totalPages: 9 }), 1e9, 2],
    ["a page that is not full is the last, where its size is told", page(49, { perPage: 50 }), 1e9, 1],
    [
      "fewer than were asked for tell nothing: the service may give no more at a time",
      page(49),
      1e9,
      undefined,
    ],
    ["an empty one is the last", page(0), 1e9, 1],
    ["a full one tells nothing", page(50), 1e9, undefined],
    ["no more than the limit needs, by pages of the size that came", page(20, { totalPages: 9 }), 50, 3],
    ["a full one is enough for the limit", page(50), 50, 1],
    ["a full one is not enough for one more", page(50), 51, undefined],
  ];
  for (const [what, first, limit, expected] of lasts) {
    it(`knows the last page: ${what}`, () => {
      assert.equal(lastPage(first, 50, limit), expected);
    });
  }

  it("stops at a million items, and not before", () => {
    assert.doesNotThrow(() => boundPages(10_000));
    assert.throws(() => boundPages(10_001), TooManyPagesError);
  });

  it("recognises a page that only repeats known items", () => {
    const seen = new Set(["0"]);
    assert.equal(bringsNew(page(1), seen), false);
    assert.equal(bringsNew(page(3), seen), true);
    assert.deepEqual([...seen], ["0", "1", "2"]);
    assert.equal(bringsNew(page(3), seen), false);
    assert.equal(bringsNew(page(0), seen), false);
  });
});
