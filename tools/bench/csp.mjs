import { createRequire } from "node:module";
import { median, table } from "./table.mjs";

const require = createRequire(import.meta.url);

/** Speed of the CSP functions, and whether the time of `parse` and `lint` grows with the length only. */
export function cspBench({ progress, isQuick }) {
  const csp = require("pulumi-page-guard/csp");
  const results = {
    pairs: pairs(csp, isQuick),
    impact: impactTime(csp, isQuick),
    lengths: lengths(csp, isQuick, progress),
  };
  const text = [
    table(
      ["matching", "pairs a second"],
      [
        ["matches(policy text, request)", Math.round(results.pairs.fromText).toLocaleString("en")],
        [
          "compile(policy) once, then allows(request)",
          Math.round(results.pairs.compiled).toLocaleString("en"),
        ],
      ],
    ),
    "",
    table(
      ["impact of one policy", "items", "blocked", "ms"],
      [["", results.impact.items, results.impact.blocked, results.impact.ms.toFixed(1)]],
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

function pairs({ matches, compile }, isQuick) {
  const sources = Array.from({ length: 20 }, (_, index) => `https://*.cdn-${index}.example.net`).join(" ");
  const policy = `default-src 'none'; script-src 'self' ${sources}; connect-src 'self' https://api.example.com/v1/`;
  const requests = Array.from({ length: 1000 }, (_, index) => ({
    kind: index % 3 === 0 ? "connection" : "script",
    url: `https://a.cdn-${index % 40}.example.net/lib/${index}.js?v=1`,
    pageUrl: "https://shop.example.com/cart",
  }));
  const forMs = isQuick ? 300 : 1000;
  const compiled = compile(policy);
  return {
    fromText: perSecond(forMs, requests, (request) => matches(policy, request)),
    compiled: perSecond(forMs, requests, (request) => compiled.allows(request)),
  };
}

function perSecond(forMs, inputs, work) {
  for (const input of inputs) work(input);
  const started = performance.now();
  let done = 0;
  while (performance.now() - started < forMs) {
    for (const input of inputs) work(input);
    done += inputs.length;
  }
  return (done * 1000) / (performance.now() - started);
}

function impactTime({ impact, hostsOf }, isQuick) {
  const items = Array.from({ length: isQuick ? 2_000 : 10_000 }, (_, index) => ({
    kind: index % 4 === 0 ? "connection" : "script",
    item: {
      id: String(index),
      url: `https://s${index % 300}.example.net/lib-${index}.js`,
      host: "shop.example.com",
      firstPageUrl: `https://shop.example.com/page-${index % 50}`,
      lastSeenAt: new Date(1_700_000_000_000 + index * 1000).toISOString(),
      status: "active",
    },
  }));
  const sources = Array.from({ length: 150 }, (_, index) => `https://s${index}.example.net`).join(" ");
  const policy = `script-src 'self' ${sources}; connect-src ${sources}`;
  const hosts = hostsOf('http.host eq "shop.example.com"');
  const times = [];
  let found;
  for (let run = 0; run < 7; run += 1) {
    const started = performance.now();
    found = impact(policy, items, { hosts });
    times.push(performance.now() - started);
  }
  return { items: items.length, blocked: found.blockedCount, ms: median(times) };
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
        return { length, perThousandUs: (shortestMs(() => work(text)) * 1e6) / length };
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

/** The shortest of some runs: what else the machine does only ever adds. */
function shortestMs(work) {
  let shortest = Number.POSITIVE_INFINITY;
  const until = performance.now() + 300;
  for (let run = 0; run < 50 && (run < 5 || performance.now() < until); run += 1) {
    const started = performance.now();
    work();
    shortest = Math.min(shortest, performance.now() - started);
  }
  return shortest;
}
