import assert from "node:assert/strict";
import fc from "fast-check";
import {
  isWhole,
  iterateItems,
  listAllItems,
  type ReadPage,
} from "../../../provider/src/api/paging/list-items";
import { each } from "../../support/each";
import { check } from "../../support/random-runs";

interface Item {
  readonly id: string;
}

/** A list in memory that is read by pages and may change before any of them. */
class Shelf {
  items: Item[];
  requests = 0;
  inFlight = 0;
  mostInFlight = 0;
  beforeRead: (request: number) => void = () => undefined;

  constructor(count: number) {
    this.items = Array.from({ length: count }, (_, n) => ({ id: `i${n}` }));
  }

  readonly read: ReadPage<Item> = async (page, perPage) => {
    this.requests += 1;
    const number = this.requests;
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    this.beforeRead(number);
    this.inFlight -= 1;
    const items = this.items.slice((page - 1) * perPage, page * perPage);
    const totalCount = this.items.length;
    return { items, info: { page, perPage, totalCount, totalPages: Math.ceil(totalCount / perPage) } };
  };
}

describe("listAllItems", () => {
  const list = (shelf: Shelf, options?: object) => listAllItems(shelf.read, options);

  it("reads 10,000 items with exactly 100 requests, at least 8 at a time", async () => {
    const shelf = new Shelf(10_000);
    const items = await list(shelf);
    assert.equal(items.length, 10_000);
    assert.deepEqual(items[9_999], { id: "i9999" });
    assert.equal(shelf.requests, 100);
    assert.ok(shelf.mostInFlight >= 8 && shelf.mostInFlight <= 10, `${shelf.mostInFlight} in flight`);
  });

  const sizes: readonly [count: number, requests: number, limit?: number][] = [
    [0, 1],
    [100, 1],
    [101, 2],
    [1000, 1, 1],
    [1000, 1, 100],
    [1000, 2, 101],
    [1000, 10, 9999],
  ];
  for (const [count, requests, limit] of sizes) {
    it(`reads ${count} items ${limit === undefined ? "without a limit" : `up to a limit of ${limit}`} with ${requests} requests`, async () => {
      const shelf = new Shelf(count);
      assert.deepEqual(await list(shelf, limit === undefined ? {} : { limit }), shelf.items.slice(0, limit));
      // The reader fetches pages ahead, but only pages that the limit needs.
      assert.equal(shelf.requests, requests);
    });
  }

  it("ends with one warning and a bounded number of requests if the list keeps changing", async () => {
    const shelf = new Shelf(450);
    let news = 0;
    shelf.beforeRead = () => {
      news += 1;
      shelf.items = [{ id: `new${news}` }, ...shelf.items];
    };
    const warnings: string[] = [];
    const items = await list(shelf, { onWarning: (message: string) => warnings.push(message) });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /kept changing/);
    assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
    for (let n = 0; n < 450; n += 1) assert.ok(items.some(({ id }) => id === `i${n}`));
    assert.ok(shelf.requests <= 32, `${shelf.requests} requests`);
  });

  it("accepts a stable list with a wrong count after reading it twice", async () => {
    const shelf = new Shelf(150);
    const read: ReadPage<Item> = async (page, perPage) => {
      const { items } = await shelf.read(page, perPage);
      return { items, info: { page, perPage, totalCount: 170, totalPages: 2 } };
    };
    const items = await listAllItems(read);
    assert.equal(items.length, 150);
    assert.equal(shelf.requests, 4);
  });

  it("sends no further requests if a page cannot be read", async () => {
    const shelf = new Shelf(5000);
    shelf.beforeRead = (request) => {
      if (request === 4) throw new Error("no");
    };
    await assert.rejects(async () => list(shelf), /^Error: no$/);
    const asked = shelf.requests;
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(shelf.requests, asked);
    assert.ok(asked <= 21, `${asked} requests`);
  });

  it("returns every item that exists throughout the reading exactly once, despite one or two changes of the list", async () => {
    const change = fc.record({
      request: fc.integer({ min: 1, max: 6 }),
      kind: fc.constantFrom("insert", "touch", "remove"),
      at: fc.nat(400),
    });
    await check(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 350 }),
        fc.array(change, { maxLength: 2 }),
        async (count, changes) => {
          const shelf = new Shelf(count);
          shelf.beforeRead = (request) => {
            for (const { kind, at } of changes.filter((one) => one.request === request)) {
              if (kind === "insert") shelf.items = [{ id: `new${request}-${at}` }, ...shelf.items];
              else if (shelf.items.length > 0) {
                const [item] = shelf.items.splice(at % shelf.items.length, 1);
                if (item && kind === "touch") shelf.items = [item, ...shelf.items];
              }
            }
          };
          const items = await list(shelf, { perPage: 50 });
          const ids = new Set(items.map(({ id }) => id));
          assert.equal(ids.size, items.length, "none twice");
          for (const { id } of shelf.items) {
            if (id.startsWith("i")) assert.ok(ids.has(id), `${id} was lost`);
          }
          if (changes.length < 2) assert.deepEqual([...ids].sort(), each(shelf.items, "id")?.sort());
        },
      ),
    );
  });
});

describe("iterateItems", () => {
  it("requests nothing before the consumer asks for an item, and one page if the consumer stops early", async () => {
    const shelf = new Shelf(5000);
    const items = iterateItems(shelf.read);
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(shelf.requests, 0);
    for await (const item of items) {
      assert.equal(item.id, "i0");
      break;
    }
    assert.equal(shelf.requests, 1);
  });

  it("reads only a few pages ahead of a slow consumer", async () => {
    const shelf = new Shelf(5000);
    let n = 0;
    for await (const _ of iterateItems(shelf.read)) {
      n += 1;
      if (n % 100 === 0) {
        await new Promise((resolve) => setImmediate(resolve));
        assert.ok(shelf.requests - n / 100 <= 11, `${shelf.requests} requests after ${n} items`);
      }
    }
    assert.equal(n, 5000);
  });
});

describe("Given a list that does not end,", () => {
  const page = (from: number, size: number) =>
    Array.from({ length: size }, (_, index) => ({ id: `item-${from + index}` }));

  it("when the service claims a million items but has one page, or ignores the page number, then it gets few requests", async () => {
    const claimed = { totalCount: 1_000_000, perPage: 100 };
    for (const [again, info, most] of [
      [page(0, 100), claimed, 99],
      [[], claimed, 99],
      [page(0, 100), undefined, 2],
    ] as const) {
      let asked = 0;
      const read = async (number: number) => {
        asked += 1;
        return { items: number === 1 ? page(0, 100) : again, info };
      };
      const items = await listAllItems(read);
      assert.equal(items.length, 100);
      assert.ok(asked <= most, `${asked} requests`);
    }
  });

  it("when every page has further items, then the reading stops with an error that says so", async () => {
    const endless = async (number: number, perPage: number) => ({
      items: page(number * perPage, perPage),
      info: { totalCount: Number.MAX_SAFE_INTEGER },
    });
    const code = { code: "PG_ENDLESS_LIST", message: /did not end after 10000 pages/ };
    await assert.rejects(listAllItems(endless, { perPage: 1 }), code);
    assert.equal((await listAllItems(endless, { limit: 250 })).length, 250);
  });
});

const readIds = async (items: Promise<readonly Item[]>) => (await items).map(({ id }) => id).join("");
describe("A list that is read by pages", () => {
  const ids = "abcdefgh";

  it("is read again if a later page has another total count than the first page, and keeps its order, whichever page arrives first", async () => {
    const asked: number[] = [];
    const read: ReadPage<Item> = async (page, perPage) => {
      asked.push(page);
      const isChanged = page === 3 && asked.filter((one) => one === 1).length === 1;
      // Later pages arrive earlier.
      for (let turn = 10 - page; turn > 0; turn -= 1) await Promise.resolve();
      const items = [...ids].slice((page - 1) * perPage, page * perPage).map((id) => ({ id }));
      return { items, info: { totalCount: isChanged ? 9 : 8 } };
    };
    assert.equal(await readIds(listAllItems(read, { perPage: 2 })), ids);
    assert.equal(asked.length, 8);
  });

  it("is read to its end if the service returns fewer items per page than requested, with or without counts", async () => {
    const counts = [{ perPage: 3 }, { totalPages: 3 }, { perPage: 3, totalCount: 8 }];
    // Some services state the requested size, although they return fewer items.
    for (const info of [undefined, {}, ...counts, { perPage: 100, totalCount: 8, totalPages: 1 }]) {
      const asked: number[] = [];
      const read: ReadPage<Item> = async (page) => {
        asked.push(page);
        return { items: [...ids].slice((page - 1) * 3, page * 3).map((id) => ({ id })), info };
      };
      const told = JSON.stringify(info);
      assert.equal(await readIds(listAllItems(read)), ids, told);
      assert.deepEqual(asked, [1, 2, 3], told);
      assert.equal(await readIds(listAllItems(read, { limit: 5 })), ids.slice(0, 5), told);
    }
  });

  it("is complete after one page, unless the service's counts contradict it", () => {
    const three = [1, 2, 3];
    for (const [info, expected] of [
      [undefined, true],
      [{}, true],
      [{ totalPages: 1, totalCount: 3 }, true],
      [{ totalPages: 2 }, false],
      [{ totalPages: 2, totalCount: 3 }, false],
      [{ totalCount: 4 }, false],
      [{ totalPages: 1, totalCount: 4 }, false],
    ] as const) {
      assert.equal(isWhole(three, info), expected, JSON.stringify(info));
    }
  });
});
