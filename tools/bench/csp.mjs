import { createRequire } from "node:module";
import { table } from "./table.mjs";

const require = createRequire(import.meta.url);

/**
 * Measures the processor time of the CSP functions, and whether the time of `parse` and `lint` grows linearly. Each figure
 * is also given as the number of URLs that `URL` reads in this time, which can be compared between machines.
 */
export function cspBench({ progress, isQuick }) {
  const csp = require("pulumi-page-guard/csp");
  const urlUs = readingUs();
  const results = { urlUs, works: works(csp, isQuick, progress), lengths: lengths(csp, isQuick, progress) };
  const text = [
    table(
      ["processor time", "microseconds", "URLs"],
      [
        ["one URL, read with URL", short(urlUs), "1"],
        ...results.works.map(({ name, us }) => [name, short(us), short(us / urlUs)]),
      ],
    ),
    "",
    table(
      [
        "microseconds for 1,000 characters, by length",
        ...results.lengths[0].points.map(({ length }) => length),
        "growth",
      ],
      results.lengths.map(({ name, points, growth }) => [
        name,
        ...points.map(({ perThousandUs }) => perThousandUs.toFixed(0)),
        growth.toFixed(2),
      ]),
    ),
    "(growth: time a character at the greatest length over that at a quarter of it; 1 is linear, 4 is quadratic)",
  ].join("\n");
  progress("csp: done");
  return { title: "CSP", results, text };
}

function short(number) {
  return number.toLocaleString("en", { maximumSignificantDigits: 3 });
}

const pageUrl = "https://shop.example.com/cart";
const hosts = [
  "cdn.example.com",
  "a.shop.example.net",
  "x.cdn-7.example.net",
  "s9.example.net",
  "nowhere.example",
];
const requests = Array.from({ length: 1000 }, (_, index) => ({
  kind: "script",
  url: `https://${hosts[index % hosts.length]}/lib/${index}.js?v=1`,
  pageUrl,
}));

/** Policies with few sources, as most have; with as many as the largest have; and with more than fit into a header. */
const policies = {
  "9 sources":
    "script-src 'self' https://cdn.example.com https://tags.example.com js.pay.example *.shop.example.net https://static.example.net/lib/ a.example b.example c.example; connect-src 'self' https://api.example.com/v1/; object-src 'none'",
  "20 wildcards": `script-src 'self' ${list(20, (index) => `https://*.cdn-${index}.example.net`)}`,
  "500 hosts": `script-src 'self' ${list(500, (index) => `https://s${index}.example.net/lib/`)}`,
};

function list(count, source) {
  return Array.from({ length: count }, (_, index) => source(index)).join(" ");
}

function readingUs() {
  return (
    leastUs(() => {
      for (const { url } of requests) new URL(url, pageUrl);
    }) / requests.length
  );
}

function works({ compile, impact, hostsOf, lint, matches, suggest }, isQuick, progress) {
  const found = [];
  const measure = (name, count, work) => {
    found.push({ name, us: leastUs(work) / count });
    progress(`csp: ${name}`);
  };
  for (const [name, policy] of Object.entries(policies)) {
    const compiled = compile(policy);
    measure(`compiled policy of ${name}: one request`, requests.length, () => {
      for (const request of requests) compiled.allows(request);
    });
    measure(`text of ${name}: one request, the text as before`, requests.length, () => {
      for (const request of requests) matches(policy, request);
    });
    const few = requests.slice(0, 100);
    const texts = few.map((_, index) => `${policy}; img-src i${index}.example`);
    measure(`text of ${name}: one request, another text each time`, few.length, () => {
      for (const [index, request] of few.entries()) matches(texts[index], request);
    });
  }
  const count = isQuick ? 2_000 : 10_000;
  const items = (kind) =>
    Array.from({ length: count / 2 }, (_, index) => ({
      id: `${kind}-${index}`,
      url: `https://${kind}${index % 300}.example.net/lib/v${index % 7}/${index}.js?x=1`,
      host: "shop.example.com",
      firstPageUrl: `https://shop.example.com/page-${index % 50}`,
      lastSeenAt: new Date(1_700_000_000_000 + index * 1000).toISOString(),
      status: "active",
      jsIntegrityScore: index % 500 === 0 ? 10 : 90,
    }));
  const [scripts, connections] = [items("s"), items("c")];
  const seen = [
    ...scripts.map((item) => ({ kind: "script", item })),
    ...connections.map((item) => ({ kind: "connection", item })),
  ];
  const selected = hostsOf('http.host eq "shop.example.com"');
  measure(`impact of 500 hosts on ${count.toLocaleString("en")} items`, 1, () =>
    impact(policies["500 hosts"], seen, { hosts: selected }),
  );
  for (const granularity of ["host", "path", "url"])
    measure(`suggest of ${count.toLocaleString("en")} items, by ${granularity}`, 1, () =>
      suggest(scripts, connections, { granularity }),
    );
  const bytes = isQuick ? 131_072 : 1_048_576;
  for (const [shape, make] of Object.entries(shapes)) {
    const text = make(bytes);
    measure(`lint of ${bytes / 1024} kB, ${shape}`, 1, () => lint(text));
  }
  return found;
}

const shapes = {
  "many sources": (length) => fill("script-src", (index) => ` https://cdn-${index}.example.net/lib/`, length),
  "many directives": (length) => fill("", (index) => `x-unknown-${index} 'self';`, length),
  "the same directive": (length) => fill("", () => "script-src 'self';", length),
  "one long word": (length) => `script-src ${"a".repeat(length - 11)}`,
  semicolons: (length) => ";".repeat(length),
  "wildcards and dots": (length) => `script-src ${"*.".repeat((length - 11) / 2)}`,
};

function fill(head, part, length) {
  const parts = [head];
  for (let size = head.length, index = 0; size < length; index += 1) {
    const next = part(index);
    parts.push(next);
    size += next.length;
  }
  return parts.join("").slice(0, length);
}

function lengths({ parse, lint }, isQuick, progress) {
  const sizes = isQuick ? [2_048, 8_192, 32_768] : [2_048, 8_192, 32_768, 131_072];
  const rows = [];
  for (const [operation, work] of Object.entries({ parse, lint })) {
    for (const [shape, make] of Object.entries(shapes)) {
      const points = sizes.map((length) => {
        const text = make(length);
        return { length, perThousandUs: (leastUs(() => work(text)) * 1000) / length };
      });
      rows.push({
        name: `${operation}, ${shape}`,
        points,
        growth: points.at(-1).perThousandUs / points.at(-2).perThousandUs,
      });
    }
    progress(`csp: ${operation} by length`);
  }
  return rows;
}

/** Returns the lowest processor time of several runs. Other work of the process can only add to it. */
function leastUs(work) {
  let least = Number.POSITIVE_INFINITY;
  const until = performance.now() + 500;
  for (let run = 0; run < 100 && (run < 5 || performance.now() < until); run += 1) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}
