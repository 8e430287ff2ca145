import assert from "node:assert/strict";
import fc from "fast-check";
import {
  hostsInDoubt,
  hostsOf,
  type Impact,
  impact,
  matches,
  render,
  renderLetIn,
  type SeenItem,
  upgraderOf,
} from "../../csp/src";
import { anyConnection, anyScript, connection, script } from "./items";
import { holds, policyText } from "./random";

const EVERYWHERE = hostsOf("true");
const scripts = (...items: readonly Parameters<typeof script>[0][]): SeenItem[] =>
  items.map((fields) => ({ kind: "script", item: script(fields) }));
const impactOf = (policy: string, items: readonly SeenItem[], hosts = EVERYWHERE) =>
  impact(policy, items, { hosts });
const at = (url: string) => ({ url });
const last = (place: string) => ({ url: `https://${place}`, lastSeenAt: "2024-05-01T00:00:00Z" });
const hostsIn = ({ groups }: Impact) => groups.map(({ host }) => host);
const connections = (...items: readonly Parameters<typeof connection>[0][]): SeenItem[] =>
  items.map((fields) => ({ kind: "connection", item: connection(fields) }));

describe("impact", () => {
  it("lists the items that the policy would block, grouped by the host of the URL", () => {
    const items = [
      ...scripts(...["https://cdn.example/a.js", "https://cdn.example/b.js", "https://ok.example/"].map(at)),
      ...connections({ url: "https://cdn.example/api" }, { url: "wss://live.example/" }),
    ];
    const found = impactOf("default-src ok.example", items);
    assert.deepEqual(
      found.groups.map(({ host, scripts, connections }) => [host, scripts, connections]),
      [
        ["cdn.example", 2, 1],
        ["live.example", 0, 1],
      ],
    );
    assert.deepEqual([found.blockedCount, found.checkedCount], [4, 5]);
  });

  it("does not count a connection as blocked if its host is allowed and the service does not report its path", () => {
    const items = connections(
      ...["https://api.example", "https://api.example/", "https://b.example/"].map(at),
    );
    const of = (seen: typeof items) => impactOf("connect-src https://api.example/v1/", seen);
    assert.deepEqual(of(items).pathUnknownHosts, ["api.example"]);
    assert.deepEqual(hostsIn(of(items)), ["b.example"]);
    const otherPort = impactOf("connect-src https://api.example:8443/v1/", items);
    assert.deepEqual([otherPort.pathUnknownHosts, otherPort.blockedCount], [[], 3]);
    // Each policy has to allow it, so a policy that blocks the host decides.
    const several = (text: string) => impactOf(text, connections({ url: "http://api.example/" }));
    const paths = "connect-src https://api.example/v1/";
    const certain = several(`${paths}, connect-src 'self', upgrade-insecure-requests`);
    assert.deepEqual([certain.pathUnknownHosts, certain.blockedCount], [[], 1]);
    const doubtful = several(`${paths}, connect-src https://api.example/v2/; upgrade-insecure-requests`);
    assert.deepEqual([doubtful.pathUnknownHosts, doubtful.blockedCount], [["api.example"], 0]);
    // The service reports paths here, so a connection without one went to the root.
    const withPaths = of([...items, ...connections({ url: "https://api.example/v2/x" })]);
    assert.deepEqual([withPaths.pathUnknownHosts, withPaths.blockedCount], [[], 4]);
  });

  for (const [source, url, blocked] of [
    ["http://cdn.example:8080", "http://cdn.example:8080/a.js", 1],
    ["https://cdn.example", "http://cdn.example/a.js", 0],
  ] as const)
    it(`upgrades requests on the pages of another policy that does so, as explain does: ${source}`, () => {
      const [host, expression] = ["shop.example", 'http.host eq "shop.example"'];
      const [seen] = scripts({ url, host, firstPageUrl: "http://shop.example/" });
      assert.ok(seen);
      const value = "upgrade-insecure-requests; img-src *";
      const judge = (expression: string) =>
        impact(`script-src ${source}`, [seen], {
          hosts: EVERYWHERE,
          isUpgraded: upgraderOf([{ value, expression }]),
        });
      assert.equal(judge(expression).blockedCount, blocked);
      assert.equal(judge(`not ${expression}`).blockedCount, 1 - blocked);
    });

  it("checks only the items of the hosts that the expression selects", () => {
    const items = scripts(
      { url: "https://cdn.example/1", host: "shop.example", firstPageUrl: "shop.example/" },
      { url: "https://cdn.example/2", host: "www.shop.example", firstPageUrl: "www.shop.example/" },
      { url: "https://cdn.example/3", host: "blog.example", firstPageUrl: "blog.example/" },
    );
    const urls = (expression: string) =>
      impactOf("script-src 'none'", items, hostsOf(expression)).groups.flatMap((group) =>
        group.items.map(({ item }) => item.url.at(-1)),
      );
    assert.deepEqual(urls('http.host eq "shop.example"'), ["1"]);
    assert.deepEqual(urls('ends_with(http.host, "shop.example")'), ["1", "2"]);
    assert.deepEqual(urls('http.host in {"blog.example" "shop.example"}'), ["1", "3"]);
    assert.deepEqual(urls("ssl"), ["1", "2", "3"]);
    assert.equal(impactOf("script-src 'none'", items, hostsOf('http.host eq "a.example"')).checkedCount, 0);
  });

  it("judges an item on each selected page, and returns the hosts on which an item might be blocked", () => {
    const here = { host: "www.shop.example", firstPageUrl: "www.shop.example/" };
    const own = { url: "https://www.shop.example/own.js", ...here };
    const both = hostsOf('http.host in {"www.shop.example" "pay.shop.example"}');
    const doubt = (policy: string | undefined, ...items: readonly Parameters<typeof script>[0][]) =>
      hostsInDoubt(policy, scripts(...items), both).map(({ kind, host }) => `${kind} ${host}`);
    const everywhere = {
      ...own,
      pageUrls: ["www.shop.example/a", "https://pay.shop.example/", "blog.example/"],
    };
    assert.deepEqual(doubt("script-src 'self'", own), ["script pay.shop.example"]);
    assert.deepEqual(doubt("script-src https:", own), []);
    assert.deepEqual(doubt(undefined, own), ["script pay.shop.example"]);
    assert.deepEqual(doubt("script-src 'self'", everywhere, { url: own.url, status: "inactive" }), []);
    assert.deepEqual(hostsIn(impactOf("script-src 'self'", scripts(own), both)), []);
    const found = impactOf("script-src 'self'", scripts(everywhere), both);
    assert.deepEqual([hostsIn(found), found.checkedCount], [["www.shop.example"], 1]);
  });

  for (const [expression, places] of [
    ['http.host wildcard "*.Shop.example"', ["*.shop.example"]],
    [
      'ends_with(http.host, ".shop.example") or http.host eq "a.shop.example"',
      ["a.shop.example", "*.shop.example"],
    ],
    [
      'ends_with(http.host, "a.shop.example") and http.request.uri.path eq "/pay"',
      ["a.shop.example", "*a.shop.example"],
    ],
    ['http.host wildcard "*.shop.example" and http.host ne "www.shop.example"', ["*"]],
    ['http.host ne "shop.example"', ["*"]],
    ['http.host contains ".shop"', ["*"]],
    ['http.host wildcard "a.*"', ["*"]],
    ['starts_with(http.host, "a.shop")', ["a.shop", "*"]],
    ['http.host eq "a.shop.example" and not http.host contains "www"', ["a.shop.example"]],
  ] as const)
    it(`asks for items of unnamed hosts by a pattern, or says that it cannot: ${expression}`, () => {
      const hosts = hostsOf(expression);
      const [seen] = scripts({
        url: "https://x.example/x.js",
        host: "shop.example",
        firstPageUrl: "shop.example/",
      });
      assert.ok(seen);
      const doubt = hostsInDoubt("script-src 'self'", [seen], hosts).map(({ host }) => host);
      assert.deepEqual(doubt, places);
      assert.deepEqual(hostsInDoubt("script-src x.example", [seen], hosts), []);
      const page = (host: string): SeenItem => ({
        ...seen,
        item: { ...seen.item, pageUrls: [`https://${host}/`] },
      });
      for (const host of places.filter((place) => place !== "*"))
        assert.deepEqual(hostsIn(impactOf("script-src 'self'", [page(host)], hosts)), ["x.example"]);
    });

  it("does not count an item on unnamed hosts if one of the hosts is known", () => {
    const here = {
      host: "a.shop.example",
      firstPageUrl: "a.shop.example/",
      pageUrls: ["https://*.shop.example/"],
    };
    const own = scripts({ url: "https://a.shop.example/own.js", ...here });
    const hosts = hostsOf('http.host wildcard "*.shop.example"');
    assert.deepEqual(hostsIn(impactOf("script-src 'self'", own, hosts)), []);
    assert.deepEqual(hostsInDoubt("script-src 'self'", own, hosts), []);
  });

  for (const [what, policy, items, hosts] of [
    [
      "does not count inactive items",
      "script-src 'none'",
      scripts(
        { url: "https://a.example/", status: "inactive" },
        { url: "https://b.example/", status: "rare" },
      ),
      ["b.example"],
    ],
    [
      "resolves 'self' to the page, whose scheme the service leaves out",
      "script-src 'self'",
      scripts(...["https://shop.example/own.js", "https://other.example/own.js"].map(at)),
      ["other.example"],
    ],
    [
      "sorts hosts by activity, then by last sighting, then by number of items, then by name",
      "script-src 'none'",
      scripts(
        { url: "https://rare.example/", status: "infrequent", lastSeenAt: "2024-06-01T00:00:00Z" },
        { url: "https://old.example/", lastSeenAt: "2024-04-01T00:00:00Z" },
        ...["one.example/", "two.example/1", "two.example/2", "b.example/", "b.example/2"].map(last),
        { url: "https://never.example/", lastSeenAt: "" },
      ),
      ["b.example", "two.example", "one.example", "old.example", "never.example", "rare.example"],
    ],
  ] as const)
    it(`${what}, for any order of the items`, () => {
      assert.deepEqual(hostsIn(impactOf(policy, items)), hosts);
      assert.deepEqual(hostsIn(impactOf(policy, items.toReversed())), hosts);
    });

  it("reports when and where a host was last seen; of two items with the same time, it takes the first", () => {
    const items = ["first", "old", "new"].map((page) => ({
      ...last(`b.example/${page}`),
      firstPageUrl: `https://shop.example/${page}`,
      ...(page === "first" && { lastSeenAt: "2024-01-01T00:00:00Z" }),
    }));
    const [{ firstPageUrl, lastSeenAt } = {}] = impactOf("script-src 'none'", scripts(...items)).groups;
    assert.deepEqual([firstPageUrl, lastSeenAt], ["https://shop.example/old", "2024-05-01T00:00:00Z"]);
  });

  it("counts an item without page, time and status, and does not mention these", () => {
    const item = { url: "https://a.ex/" };
    const hosts = hostsOf('http.host eq "shop.example"');
    const found = impactOf("script-src 'none'", [{ kind: "script", item }], hosts);
    const [group] = found.groups;
    assert.deepEqual([group?.firstPageUrl, group?.lastSeenAt, group?.isActive], [undefined, undefined, true]);
    assert.equal(render(found)[1], "  a.ex: breaks 1 script; https://a.ex/: script-src allows nothing");
  });

  it("counts items that visitors miss separately from malicious ones, for each host and in all", () => {
    const bad = { jsIntegrityScore: 49 };
    const items = [
      ...scripts(
        { url: "https://cdn.example/b.js", jsIntegrityScore: 50 },
        ...["https://cdn.example/a.js", "https://cdn.example/c.js"].map(at),
        { url: "https://cdn.example/0-bad.js", ...bad },
        { url: "https://evil.example/x.js", lastSeenAt: "2024-06-01T00:00:00Z", ...bad },
      ),
      ...connections({ url: "wss://cdn.example/", domainReportedMalicious: true }),
    ];
    const found = impactOf("default-src 'self'", items);
    assert.deepEqual(found.breaks, { scripts: 3, connections: 0 });
    assert.deepEqual(found.keepsOut, { scripts: 2, connections: 1 });
    assert.deepEqual(
      found.groups.map(({ host, breaks, keepsOut, isMalicious, url }) => [
        ...[host, breaks.scripts, keepsOut.scripts, keepsOut.connections, isMalicious, url],
      ]),
      [
        // A URL that visitors miss represents the host, and such a host comes first.
        ["cdn.example", 3, 1, 1, true, "https://cdn.example/a.js"],
        ["evil.example", 0, 1, 0, true, "https://evil.example/x.js"],
      ],
    );
    assert.deepEqual(found.letsIn, []);
    const strict = impact("default-src 'self'", items, { hosts: EVERYWHERE, threshold: 10 });
    assert.deepEqual(strict.keepsOut, { scripts: 0, connections: 1 });
  });

  it("reports the malicious items that a policy allows, by source", () => {
    const items = [
      ...scripts(
        { url: "https://evil.example/x.js", jsIntegrityScore: 3 },
        { url: "https://cdn.example/b.js", jsIntegrityScore: 4 },
        { url: "https://cdn.example/a.js", jsIntegrityScore: 5 },
        { url: "https://cdn.example/good.js" },
      ),
      ...connections({ url: "https://evil.example/collect", urlReportedMalicious: true }),
    ];
    const letsIn = (policy: string) =>
      impactOf(policy, items).letsIn.map((one) => [one.source, one.scripts, one.connections, one.url]);
    assert.deepEqual(letsIn("default-src *"), [["*", 3, 1, "https://cdn.example/a.js"]]);
    assert.deepEqual(letsIn("script-src 'self' *.example cdn.example/b.js; connect-src 'none'"), [
      ["*.example", 3, 0, "https://cdn.example/a.js"],
      ["cdn.example/b.js", 1, 0, "https://cdn.example/b.js"],
    ]);
    assert.deepEqual(letsIn("script-src 'none'"), [], "items of an unrestricted kind do not count");
  });

  it("counts exactly the items that do not match, for any policy, except items whose path is not reported", () => {
    const items = fc.array(
      fc.oneof(
        anyScript.map((item): SeenItem => ({ kind: "script", item })),
        anyConnection.map((item): SeenItem => ({ kind: "connection", item })),
      ),
    );
    holds(
      fc.property(policyText, items, (policy, all) => {
        const found = impactOf(policy, all);
        const blocked = new Set(found.groups.flatMap((group) => group.items));
        assert.equal(blocked.size, found.blockedCount);
        for (const seen of all) {
          if (!seen.item.firstPageUrl || seen.item.host !== undefined) continue;
          if (seen.item.status === "inactive") continue;
          const pageUrl = seen.item.firstPageUrl ?? "";
          const host = new URL(seen.item.url, "https://a.example").host.replace(/:\d+$/, "");
          const isBare = seen.kind === "connection" && /^\w+:\/\/[^/]*\/?$/.test(seen.item.url);
          if (isBare && found.pathUnknownHosts.includes(host) && !blocked.has(seen)) continue;
          assert.equal(blocked.has(seen), !matches(policy, { kind: seen.kind, url: seen.item.url, pageUrl }));
        }
      }),
    );
  });

  for (const firstPageUrl of ["https://shop.example/cart", "", "https://%/"])
    it(`counts an item of the page "${firstPageUrl}" and no host, because it may be a selected one`, () => {
      const items = scripts({ url: "https://cdn.example/a.js", host: "", firstPageUrl });
      const found = impactOf("script-src 'none'", items, hostsOf('http.host eq "shop.example"'));
      assert.deepEqual([found.checkedCount, found.blockedCount], [1, 1]);
    });
});

describe("impact, as lines", () => {
  const many = (count: number) => {
    const urls = Array.from({ length: count }, (_, index) => ({ url: `https://h${index}.example/a.js` }));
    return impactOf("script-src 'none'", scripts(...urls));
  };

  it("reports for each host what would be blocked, and where and when it was seen", () => {
    const items = [
      ...scripts(
        {
          url: "https://cdn.example/a.js",
          urlReportedMalicious: true,
          lastSeenAt: "2024-05-02T00:00:00Z",
          firstPageUrl: "shop.example/pay",
        },
        { url: "https://cdn.example/b.js" },
      ),
      ...connections(...["wss://cdn.example/", "wss://cdn.example/b"].map(at)),
    ];
    const hosts = hostsOf("http.host eq shop.example");
    const [head = "", host = "", ...more] = render(impactOf("default-src cdn.example/lib/", items, hosts));
    assert.match(head, / 4 of 4 .*\(breaks 1 script and 2 connections; keeps out 1 malicious script\):$/);
    assert.match(host, /^ {2}cdn\.example: breaks 1 script and 2 connections, keeps out 1 malicious script/);
    assert.match(host, / shop\.example\/pay, .* 2024-05-02; https:\/\/cdn\S+b\.js: .* is not below \/lib\/$/);
    assert.deepEqual(more, []);
  });

  it("reports the malicious items that are allowed, and why they count as malicious", () => {
    const items = [
      ...scripts(...["x", "y"].map((at) => ({ url: `https://cdn.example/${at}.js`, jsIntegrityScore: 3 }))),
      ...connections({ url: "wss://cdn.example/", domainReportedMalicious: true }),
    ];
    const found = impactOf("script-src cdn.example *; connect-src *", items);
    const [head, star = "", cdn = ""] = renderLetIn(found);
    assert.equal(head, "lets in 2 malicious scripts and 1 malicious connection:");
    const why = String.raw`, for example https:\S+ \(its integrity score is 3, below 50\)$`;
    assert.match(star, new RegExp(String.raw`^ {2}\* lets in 2 scripts and 1 connection${why}`));
    assert.match(cdn, new RegExp(String.raw`^ {2}cdn\.example lets in 2 scripts${why}`));
    assert.equal(renderLetIn(found, { maxLines: 2 })[1], "  … and 2 more sources");
  });

  it("names URLs without a host by their scheme, with one colon", () => {
    const items = scripts({ url: "blob:https://shop.example/1" }, { url: "data:text/javascript,0" });
    const lines = render(impactOf("script-src 'self'", items)).slice(1);
    assert.match(lines.join("\n"), /^ {2}blob: URLs: breaks 1 script, .*\n {2}data: URLs: breaks 1 script, /);
    assert.doesNotMatch(lines.join(), /::/);
  });

  it("reports when all hosts, or more than the selected ones, were checked", () => {
    const items = scripts({ url: "https://cdn.example/a.js" });
    const [all] = render(impactOf("script-src 'none'", items, hostsOf("ssl")));
    assert.match(all ?? "", / all hosts of the zone \(.*: it tests ssl\)/);
    const [more] = render(impactOf("script-src 'none'", items, hostsOf("ssl and http.host eq shop.example")));
    assert.match(more ?? "", /may not select all requests/);
  });

  for (const [hosts, maxLines, lines, end] of [
    [4, 5, 5, "h3.example"],
    [5, 5, 5, "… and 2 items of 2 more hosts"],
    [3, 2, 2, "… and 3 items of 3 more hosts"],
    [3, 1, 1, "would block 3"],
    // The headline is always there.
    [3, 0, 1, "would block 3"],
    [50, 3, 3, "… and 49 items of 49 more hosts"],
    [50, undefined, 20, "… and 32 items of 32 more hosts"],
    [0, undefined, 0, undefined],
  ] as const)
    it(`given ${hosts} hosts and ${maxLines ?? "the default number of"} lines, then the last line is ${end}`, () => {
      const found = many(hosts);
      const shown = render(found, maxLines === undefined ? {} : { maxLines });
      assert.deepEqual([shown.length, shown.at(-1)?.trim().slice(0, end?.length)], [lines, end]);
      assert.deepEqual(renderLetIn(found), []);
    });

  it("shows control characters of the service's texts as codes", () => {
    const items = scripts({ url: "https://a.example/", firstPageUrl: "shop.example/\u001b[2J" });
    const text = render(impactOf("script-src 'none'", items)).join("\n");
    assert.ok(text.includes("\\x1b[2J") && !text.includes("\u001b"));
  });
});
