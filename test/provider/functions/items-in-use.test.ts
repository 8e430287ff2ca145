import assert from "node:assert/strict";
import { createClient } from "../../../provider/src/api/create-client";
import { itemsInUse } from "../../../provider/src/functions/items-in-use";
import { type Simulator, startSimulator } from "../../../simulator/src";
import { ZONE } from "../api/scripted-server";

const vue = { host: "shop.example.com", status: "active", hash: "1".repeat(64) };
const decode = "https://shop.example.com/cdn-cgi/scripts/5c5dd728/cloudflare-static/email-decode.min.js";

describe("The list of scripts and connections in use", () => {
  let sim: Simulator;
  beforeEach(async () => {
    sim = await startSimulator();
    sim.zones.seed(ZONE, {
      scripts: [
        { ...vue, url: "https://cdn.example.net/npm/vue@3/dist/vue.js" },
        { ...vue, url: "https://cdn.example.net/npm/vue@3.4.21/dist/vue.js" },
        { status: "infrequent", url: decode },
        { status: "inactive", url: "https://gone.example.net/a.js" },
      ],
      connections: [
        { status: "active", url: "https://shop.example.com/cdn-cgi/rum" },
        { status: "active", host: "blog.example.com", url: "https://api.example.net/x" },
      ],
    });
  });
  afterEach(() => sim.stop());

  const read = async (filters = {}) => {
    const client = createClient({ baseUrl: sim.url, token: sim.token, service: "page_guard" }, { env: {} });
    const { scripts, connections, hidden } = await itemsInUse(client, ZONE, filters);
    const paths = [...scripts, ...connections].map(({ url }) => new URL(url).pathname);
    return { paths: paths.sort(), isPartial: hidden !== undefined, requests: sim.requests({}).length };
  };

  it("contains all of them, including duplicates, items below /cdn-cgi/ and infrequent items", async () => {
    assert.deepEqual(await read(), {
      paths: [
        "/cdn-cgi/rum",
        new URL(decode).pathname,
        "/npm/vue@3.4.21/dist/vue.js",
        "/npm/vue@3/dist/vue.js",
        "/x",
      ],
      isPartial: false,
      requests: 2,
    });
    assert.deepEqual((await read({ hosts: ["blog.example.com"] })).paths, ["/x"]);
  });

  for (const [query, lists, ...expected] of [
    ["exclude_", "both lists, then these are", ["/npm/vue@3.4.21/dist/vue.js", "/x"], 4],
    [
      "exclude_duplicates",
      "one list, then only that list is",
      ["/cdn-cgi/rum", "/npm/vue@3.4.21/dist/vue.js", "/x"],
      3,
    ],
  ] as const)
    it(`given a service that refuses the filters for ${lists} requested without them, and the hidden items are missing`, async () => {
      sim.faults.add({ method: "GET", query, kind: "status", status: 400 });
      const { paths, isPartial, requests } = await read();
      assert.deepEqual([paths, requests, isPartial], [...expected, true]);
    });

  it("given any other failure, then the call fails", async () => {
    sim.faults.add({ method: "GET", path: "scripts", kind: "status", status: 403 });
    await assert.rejects(read(), { code: "PG_AUTHENTICATION" });
    sim.faults.clear();
    sim.faults.add({ method: "GET", path: "connections", kind: "status", status: 400 });
    await assert.rejects(read(), { code: "PG_REFUSED" });
  });
});
