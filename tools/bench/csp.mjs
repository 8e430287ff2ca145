import { createRequire } from "node:module";
import { say } from "../setup/say.mjs";
import { table } from "./table.mjs";

const require = createRequire(import.meta.url);

const pageUrl = "https://shop.example.com/cart";
const hosts = [
  "cdn.example.com",
  "a.shop.example.net",
  "x.cdn-7.example.net",
  "s9.example.net",
  "nowhere.example",
];
const requests = list(1000, (index) => ({
  kind: "script",
  url: `https://${hosts[index % hosts.length]}/lib/${index}.js?v=1`,
  pageUrl,
}));

/** A policy with few sources, like most policies, and one with more than fit into a header. */
const policies = {
  "9 sources":
    "script-src 'self' https://cdn.example.com https://tags.example.com js.pay.example *.shop.example.net https://static.example.net/lib/ a.example b.example c.example; connect-src 'self' https://api.example.com/v1/; object-src 'none'",
  "500 hosts": `script-src 'self' ${list(500, (index) => `https://s${index}.example.net/lib/`).join(" ")}`,
};

/**
 * Measures the processor time of the CSP functions. Also gives each figure as the number of URLs that `URL` parses in the
 * same time: that number can be compared between machines.
 */
export function cspBench() {
  const { compile, impact, hostsOf, lint, matches, suggest } = require("pulumi-page-guard/csp");
  const results = [];
  const measure = (name, count, work) => {
    say(name);
    results.push({ name, us: leastUs(work) / count });
  };
  measure("one URL, read with URL", requests.length, () => {
    for (const { url } of requests) new URL(url, pageUrl);
  });
  for (const [name, policy] of Object.entries(policies)) {
    const compiled = compile(policy);
    measure(`compiled policy of ${name}: one request`, requests.length, () => {
      for (const request of requests) compiled.allows(request);
    });
    measure(`policy text of ${name}: one request, same text each time`, requests.length, () => {
      for (const request of requests) matches(policy, request);
    });
    const few = requests.slice(0, 100);
    const texts = few.map((_, index) => `${policy}; img-src i${index}.example`);
    measure(`policy text of ${name}: one request, new text each time`, few.length, () => {
      for (const [index, request] of few.entries()) matches(texts[index], request);
    });
  }
  const count = 10_000;
  const [scripts, connections] = ["s", "c"].map((kind) => list(count / 2, (index) => item(kind, index)));
  const seen = [
    ...scripts.map((one) => ({ kind: "script", item: one })),
    ...connections.map((one) => ({ kind: "connection", item: one })),
  ];
  const selected = hostsOf('http.host eq "shop.example.com"');
  measure(`impact of 500 hosts on ${count} items`, 1, () =>
    impact(policies["500 hosts"], seen, { hosts: selected }),
  );
  measure(`suggest of ${count} items`, 1, () => suggest(scripts, connections));
  const long = `script-src ${list(28_000, (index) => `https://cdn-${index}.example.net/lib/`).join(" ")}`;
  measure(`lint of ${Math.round(long.length / 1024)} kB`, 1, () => lint(long));
  const [{ us: urlUs }] = results;
  const rows = results.map(({ name, us }) => [name, short(us), short(us / urlUs)]);
  return { title: "CSP", text: table(["processor time", "microseconds", "URLs"], rows) };
}

function list(count, one) {
  return Array.from({ length: count }, (_, index) => one(index));
}

function item(kind, index) {
  return {
    id: `${kind}-${index}`,
    url: `https://${kind}${index % 300}.example.net/lib/v${index % 7}/${index}.js?x=1`,
    host: "shop.example.com",
    firstPageUrl: `https://shop.example.com/page-${index % 50}`,
    lastSeenAt: new Date(1_700_000_000_000 + index * 1000).toISOString(),
    status: "active",
    jsIntegrityScore: index % 500 === 0 ? 10 : 90,
  };
}

function short(number) {
  return number.toLocaleString("en", { maximumSignificantDigits: 3 });
}

/** Returns the lowest processor time of several runs. Other work of the process can only add to the time. */
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
