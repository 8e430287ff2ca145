import assert from "node:assert/strict";
import { iterateItems } from "../../provider/src/api/paging/iterate-items";
import { listAllItems } from "../../provider/src/api/paging/list-items";
import { isWhole, type ReadPage } from "../../provider/src/api/paging/page";

interface Item {
  readonly id: string;
}

/** A list as each reading of it finds it: the first page of each reading goes on to the next. */
function changing(...readings: readonly (readonly string[])[]) {
  const asked: number[] = [];
  let reading = -1;
  const read: ReadPage<Item> = async (page, perPage) => {
    asked.push(page);
    if (page === 1) reading = Math.min(reading + 1, readings.length - 1);
    const ids = readings[reading] ?? [];
    const items = ids.slice((page - 1) * perPage, page * perPage).map((id) => ({ id }));
    return { items, info: { totalCount: ids.length } };
  };
  return { read, asked };
}

const listed = async (items: Promise<readonly Item[]>) => (await items).map(({ id }) => id).join("");
async function iterated(items: AsyncIterable<Item>) {
  let ids = "";
  for await (const { id } of items) ids += id;
  return ids;
}

describe("a list in pages", () => {
  it("is not read with a limit of 0", async () => {
    for (const limit of [0, -1]) {
      const { read, asked } = changing(["a"]);
      assert.equal(await listed(listAllItems(read, { limit })), "");
      assert.equal(await iterated(iterateItems(read, { limit })), "");
      assert.deepEqual(asked, []);
    }
  });

  it("is read once when it keeps still, and no further than is wanted", async () => {
    for (const [limit, ids, pages] of [
      [undefined, "abcde", [1, 2, 3]],
      [4, "abcd", [1, 2]],
      [5, "abcde", [1, 2, 3]],
      [2, "ab", [1]],
      [1, "a", [1]],
    ] as const) {
      const options = { perPage: 2, ...(limit === undefined ? {} : { limit }) };
      const one = changing([..."abcde"]);
      assert.equal(await listed(listAllItems(one.read, options)), ids);
      assert.deepEqual(one.asked, pages);
      const other = changing([..."abcde"]);
      assert.equal(await iterated(iterateItems(other.read, options)), ids);
    }
  });

  it("is read again when an item is in it twice, and lists it once", async () => {
    const twice = changing([..."abac"], [..."abcd"]);
    assert.equal(await listed(listAllItems(twice.read, { perPage: 2 })), "abcd");
    const other = changing([..."abac"], [..."abcd"]);
    assert.equal(await iterated(iterateItems(other.read, { perPage: 2 })), "abcd");
  });

  it("holds everything seen where it keeps changing, the newest first, with a warning", async () => {
    const warnings: string[] = [];
    const onWarning = (message: string) => void warnings.push(message);
    const never = changing([..."aab"], [..."bbc"], [..."ccd"], [..."dde"]);
    assert.equal(await listed(listAllItems(never.read, { onWarning })), "decba".slice(0, 5));
    assert.equal(never.asked.length, 4);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /kept changing while it was read \(4 times\)/);
  });

  it("is believed when two readings in a row have the same, however they are counted", async () => {
    const same = changing([..."aab"], [..."aab"], [..."abc"]);
    assert.equal(await listed(listAllItems(same.read)), "ab");
    assert.equal(same.asked.length, 2);
    const other = changing([..."aab"], [..."aac"], [..."abc"]);
    assert.equal(await listed(listAllItems(other.read)), "abc", "as many are not the same");
  });
});

describe("a list whose pages come as they like", () => {
  const ids = "abcdefgh";

  /** Without a count, unless `totals` says for each page what the service counts. */
  function paged(
    options: { readonly totals?: (page: number) => number; readonly isBackwards?: boolean } = {},
  ) {
    const asked: number[] = [];
    const read: ReadPage<Item> = async (page, perPage) => {
      asked.push(page);
      // Later pages are there sooner.
      for (let turn = options.isBackwards ? 10 - page : 0; turn > 0; turn -= 1) await Promise.resolve();
      const items = [...ids].slice((page - 1) * perPage, page * perPage).map((id) => ({ id }));
      return { items, info: options.totals && { totalCount: options.totals(page) } };
    };
    return { asked, read };
  }

  it("has its order whichever page is there first", async () => {
    const { read } = paged({ totals: () => 8, isBackwards: true });
    assert.equal(await listed(listAllItems(read, { perPage: 2 })), ids);
    assert.equal(await iterated(iterateItems(read, { perPage: 2 })), ids);
  });

  it("is read no further than the limit where the service does not count", async () => {
    for (const [limit, pages] of [
      [3, 2],
      [4, 2],
      [5, 3],
      [8, 4],
    ] as const) {
      const { asked, read } = paged();
      assert.equal(await listed(listAllItems(read, { perPage: 2, limit })), ids.slice(0, limit));
      assert.deepEqual(asked, [1, 2, 3, 4].slice(0, pages), `${limit}`);
    }
  });

  it("is read again when one of its pages counts otherwise than the first, and is then as it is", async () => {
    let readings = 0;
    const { asked, read } = paged({
      totals: (page) => {
        if (page === 1) readings += 1;
        return readings === 1 && page === 3 ? 9 : 8;
      },
    });
    assert.equal(await listed(listAllItems(read, { perPage: 2 })), ids);
    assert.equal(asked.length, 8);
    readings = 0;
    asked.length = 0;
    assert.equal(await iterated(iterateItems(read, { perPage: 2 })), ids);
    assert.equal(asked.length, 8);
  });

  it("is read to its end where the service gives fewer per page than requested, and does not count", async () => {
    for (const info of [undefined, {}, { perPage: 3 }, { totalPages: 3 }]) {
      const asked: number[] = [];
      const read: ReadPage<Item> = async (page) => {
        asked.push(page);
        return { items: [...ids].slice((page - 1) * 3, page * 3).map((id) => ({ id })), info };
      };
      const told = JSON.stringify(info);
      assert.equal(await listed(listAllItems(read)), ids, told);
      assert.equal(await iterated(iterateItems(read)), ids, told);
      assert.deepEqual(asked, [1, 2, 3, 1, 2, 3], told);
      assert.equal(await listed(listAllItems(read, { limit: 5 })), ids.slice(0, 5), told);
    }
  });

  it("is whole without pages, as far as the service says", () => {
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
