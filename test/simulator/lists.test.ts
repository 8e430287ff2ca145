import assert from "node:assert/strict";
import type { Plan, Simulator, ZoneScript, ZoneSeed } from "../../simulator/src";
import { type Body, call, refused, seeded, start, stopAll, zoneId } from "./raw-client";

const everyStatus = "status=active,infrequent,inactive";

const list = (sim: Simulator, query = "", kind = "scripts") =>
  call(sim, "GET", `page_guard/${kind}${query === "" ? "" : `?${query}`}`);
const idsOf = (reply: { result: { id: string }[] }) => reply.result.map(({ id }) => id);

afterEach(stopAll);

describe("lists", () => {
  it("show active items only unless a status is given", async () => {
    const sim = await seeded({ scripts: 30, connections: 30, cookies: 30 });
    for (const kind of ["scripts", "connections", "cookies"] as const) {
      const all = sim.zone(zoneId)[kind];
      for (const query of ["", "status=infrequent", "status=inactive,active", everyStatus]) {
        const wanted = (query.split("=")[1] ?? "active").split(",");
        const expected = all.filter(({ status }) => wanted.includes(status));
        const reply = await list(sim, `${query}&page=all`.replace(/^&/, ""), kind);
        assert.deepEqual(idsOf(reply).sort(), expected.map(({ id }) => id).sort(), `${kind} ${query}`);
        assert.ok(expected.length > 0);
      }
    }
  });

  it("have pages with each item once, a short last page, and nothing after it", async () => {
    const sim = await seeded({ scripts: 23, statuses: ["active"] });
    const seen: string[] = [];
    for (const [index, count] of [10, 10, 3, 0].entries()) {
      const page = index + 1;
      const reply = await list(sim, `page=${page}&per_page=10`);
      const info = { page, per_page: 10, count, total_count: 23, total_pages: 3 };
      assert.deepEqual(reply.body.result_info, info);
      seen.push(...idsOf(reply));
    }
    const all = sim.zone(zoneId).scripts.map(({ id }) => id);
    assert.deepEqual(seen.sort(), all.sort());
    const first = await list(sim);
    assert.deepEqual([first.body.result_info.per_page, first.result.length], [15, 15]);
    assert.equal((await list(sim, "per_page=100&page=1")).result.length, 23);
  });

  it("refuse parameters with invalid values", async () => {
    const queries = [
      ...["page=0", "page=-1", "page=1.5", "page=x", "page=", "per_page=0", "per_page=101", "per_page=1e2"],
      ...["order_by=url", "direction=up", "prioritize_malicious=1", "hosts=", "hosts=a*b", "urls=x,,y"],
      ...["status=gone", "exclude_cdn_cgi=no"],
    ];
    const paths = [...queries.map((query) => `scripts?${query}`), "cookies?same_site=x"];
    const rows = paths.map((path) => [`GET page_guard/${path}`, undefined, 400] as const);
    await refused(await seeded({}), rows);
  });

  it("sort by each time in both directions, and on request put malicious items first", async () => {
    const sim = await seeded({ scripts: 40, statuses: ["active"] });
    for (const field of ["first_seen_at", "last_seen_at"] as const) {
      const times = async (direction: string): Promise<string[]> =>
        (await list(sim, `order_by=${field}&direction=${direction}&page=all`)).result.map(
          (item: ZoneScript) => item[field],
        );
      const sorted = (await times("asc")).sort();
      assert.deepEqual(await times("asc"), sorted);
      assert.deepEqual(await times("desc"), sorted.reverse());
    }
    const { result } = await list(sim, "prioritize_malicious=true&page=all");
    const malicious = result.map((item: ZoneScript) => {
      const { domain_reported_malicious, url_reported_malicious, js_integrity_score } = item;
      return domain_reported_malicious || url_reported_malicious || (js_integrity_score ?? 99) < 50;
    });
    assert.match(malicious.join(), /^(true,){8,}(false,?)+$/);
  });

  it("filter by host, URL and page, with * at the ends", async () => {
    const script = (url: string, host: string, page: string): Partial<ZoneScript> => ({
      url,
      host,
      first_page_url: page,
      page_urls: [page],
      status: "active",
    });
    const scripts = [
      script("https://cdn.example.net/a.js", "shop.example.com", "https://shop.example.com/"),
      script("https://cdn.example.net/b.js", "www.example.com", "https://www.example.com/x"),
      script("https://static.example.org/a.js", "example.org", "https://example.org/x"),
    ];
    const sim = await seeded({ scripts });
    const found = async (query: string) =>
      (await list(sim, query)).result
        .map((item: ZoneScript) => scripts.findIndex(({ url }) => url === item.url))
        .sort();
    assert.deepEqual(await found("hosts=shop.example.com"), [0]);
    assert.deepEqual(await found("hosts=*example.com"), [0, 1]);
    assert.deepEqual(await found("hosts=example.org,www*"), [1, 2]);
    assert.deepEqual(await found("urls=*a.js"), [0, 2]);
    assert.deepEqual(await found("urls=https://cdn*&exclude_urls=*b.js"), [0]);
    assert.deepEqual(await found("urls=*example*"), [0, 1, 2]);
    assert.deepEqual(await found("page_url=*/x"), [1, 2]);
    assert.deepEqual(await found("urls=a.js"), []);
  });

  it("leave out cdn-cgi paths and duplicates by default, also duplicates with another path", async () => {
    const own = "https://shop.example.com/cdn-cgi/scripts/5c5dd728/email-decode.min.js";
    const seen = (id: string, url: string, host: string, more: object = {}) => ({
      id: id.repeat(32),
      status: "active",
      url,
      host,
      hash: "1".repeat(64),
      ...more,
    });
    const vue = "https://cdn.example.net/npm/vue";
    const items = [
      seen("a", `${vue}@3`, "a.example.com", { last_seen_at: "2024-01-01T00:00:00.000Z" }),
      seen("b", `${vue}@3.4`, "a.example.com", { last_seen_at: "2024-01-02T00:00:00.000Z" }),
      seen("c", `${vue}@3.4?from=/cdn-cgi/`, "b.example.com"),
      seen("d", own, "a.example.com"),
    ];
    const sim = await seeded({ scripts: items, connections: [items[2] ?? {}, items[3] ?? {}] });
    const found = async (query: string, kind = "scripts") =>
      idsOf(await list(sim, query, kind))
        .map((id) => id[0])
        .sort()
        .join("");
    assert.equal(await found(""), "bc");
    assert.equal(await found("exclude_duplicates=false"), "abc");
    assert.equal(await found("exclude_cdn_cgi=false"), "bcd");
    assert.equal(await found("exclude_cdn_cgi=false&exclude_duplicates=false"), "abcd");
    assert.equal(await found("", "connections"), "c");
    assert.equal(await found("exclude_cdn_cgi=false", "connections"), "cd");
  });

  it("filter cookies by their attributes", async () => {
    const sim = await seeded({ cookies: 24, statuses: ["active"] });
    const { cookies } = sim.zone(zoneId);
    for (const [query, matches] of [
      ["secure=true", (cookie: Body) => cookie.secure_attribute],
      ["secure=false", (cookie: Body) => !cookie.secure_attribute],
      ["http_only=true", (cookie: Body) => cookie.http_only_attribute],
      ["same_site=strict", (cookie: Body) => cookie.same_site_attribute === "strict"],
      ["type=unknown", (cookie: Body) => cookie.type === "unknown"],
      ["path=/checkout", (cookie: Body) => cookie.path_attribute === "/checkout"],
      ["domain=.example.com", (cookie: Body) => cookie.domain_attribute === ".example.com"],
      ["name=*_7", (cookie: Body) => cookie.name.endsWith("_7")],
    ] as const) {
      const expected = cookies.filter(matches).map(({ id }) => id);
      const reply = await list(sim, `${query}&page=all`, "cookies");
      assert.deepEqual(idsOf(reply).sort(), expected.sort(), query);
      assert.ok(expected.length > 0, query);
    }
    const { result } = await list(sim, "page=all", "cookies");
    assert.ok(result.some((cookie: Body) => cookie.max_age_attribute === null));
  });

  it("show only the fields of the plan: other fields are absent, not null", async () => {
    const sim = await seeded({});
    const script = sim.zone(zoneId).scripts[4];
    assert.ok(script?.url_reported_malicious);
    const fields = async (plan: Plan, kind: string, id: string) => {
      sim.dashboard.setPlan(zoneId, plan);
      return Object.keys((await call(sim, "GET", `page_guard/${kind}/${id}`)).result);
    };
    const pro = await fields("pro", "scripts", script.id);
    const business = await fields("business", "scripts", script.id);
    const enterprise = await fields("enterprise", "scripts", script.id);
    assert.deepEqual(business.filter((name) => !pro.includes(name)).sort(), [
      ...["domain_reported_malicious", "fetched_at", "hash"],
      ...["malicious_url_categories", "url_reported_malicious"],
    ]);
    assert.deepEqual(enterprise.filter((name) => !business.includes(name)).sort(), [
      ...["cryptomining_score", "dataflow_score", "js_integrity_score", "magecart_score", "malware_score"],
      ...["obfuscation_score", "versions"],
    ]);
    assert.ok(pro.includes("page_urls"));
    const connection = sim.zone(zoneId).connections[0]?.id ?? "";
    assert.ok(!(await fields("pro", "connections", connection)).includes("url_reported_malicious"));
    assert.ok((await fields("business", "connections", connection)).includes("malicious_url_categories"));
  });

  it("return one item with its pages and versions, and 404 after the service has removed it", async () => {
    const sim = await seeded({});
    const { scripts, connections, cookies } = sim.zone(zoneId);
    for (const [kind, items] of Object.entries({ scripts, connections, cookies })) {
      const [, item] = items;
      assert.ok(item);
      const got = await call(sim, "GET", `page_guard/${kind}/${item.id}`);
      assert.equal(got.result.id, item.id);
      if (kind === "scripts") {
        assert.equal(got.result.versions.length, 2);
        assert.equal("versions" in (await list(sim, "page=all")).result[0], false);
      }
      sim.dashboard.forgetItem(zoneId, item.id);
      assert.equal((await call(sim, "GET", `page_guard/${kind}/${item.id}`)).status, 404);
    }
  });
});

describe("seeded zones", () => {
  it("are the same for the same id and seed, and different for another id or seed", async () => {
    const [one, two, three] = [await start(), await start(), await start({ seed: 2 })];
    const wishes: ZoneSeed = { scripts: 50, waf: { owasp: true, uriOverrides: 2 }, policies: [{}] };
    const snapshots = [one, two, three].map((sim) => sim.zones.seed(zoneId, wishes));
    assert.deepEqual(snapshots[0], snapshots[1]);
    assert.notDeepEqual(snapshots[0]?.scripts, snapshots[2]?.scripts);
    assert.notDeepEqual(one.zones.seed("f".repeat(32), wishes).scripts, snapshots[0]?.scripts);
    assert.notDeepEqual(one.zones.seed(zoneId, { ...wishes, seed: 9 }).scripts, snapshots[0]?.scripts);
    const edited = one.edit(zoneId, (zone) => {
      zone.policies.pop();
    });
    assert.deepEqual([edited.policies.length, snapshots[0]?.policies.length], [0, 1], "no snapshot moves");
  });
});
