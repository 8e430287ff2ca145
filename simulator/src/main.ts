#!/usr/bin/env node
import { parseArgs } from "node:util";
import { type Plan, type RateLimitOptions, startSimulator } from "./index";
import { plans } from "./state/zone";
import { isZoneId } from "./state/zones";
import { rateHeaderForms, retryAfterForms } from "./wire/rate-limit";

const help = `Usage: page-guard-simulator [options]

Serve the Page Guard and WAF migration APIs from memory on loopback, to try things out without an account

Options:
  --port <number>              port to listen on; 0 for any free port (default: 0)
  --host <address>             address to listen on (default: 127.0.0.1)
  --allow-host <name>          host name to accept besides localhost (repeatable)
  --token <token>              token to accept (default: a random one, printed)
  --seed <number>              seed of all generated data (default: 1)
  --zone <id[:plan]>           zone to create, with plan pro, business or enterprise (repeatable)
  --latency <ms>               milliseconds that each request takes (default: 0)
  --rate-limit <requests>      number of requests allowed in a window; one more starts a block
  --rate-window <ms>           length of the window (default: 300000)
  --rate-block <ms>            length of the block (default: the window)
  --rate-counting <kind>       sliding (default) or fixed window
  --rate-headers <form>        rate limit headers to send: ratelimit (default) or none
  --rate-retry-after <form>    retry-after of a refusal: ${retryAfterForms.join(", ")} (default: seconds)
  -h, --help                   show this help

Control interface below the control URL (needs no token; send JSON with Content-Type: application/json):
  GET    /                              overview: zones, number of requests and faults
  PUT    /zones/ID                      create or replace a zone: {"plan": "pro", "scripts": 20, "waf": {"owasp": true}, ...}
  GET    /zones/ID                      the zone as it is now; DELETE removes it; GET /zones lists the ids
  PUT    /zones/ID/plan                 {"plan": "business"}
  PUT    /zones/ID/settings             change settings as someone else would
  POST   /zones/ID/policies             add a policy as someone else would; PUT and DELETE /zones/ID/policies/POLICY
  PUT    /zones/ID/entrypoint           replace the rules: {"rules": [...]}, or null
  POST   /zones/ID/entrypoint/rules     {"rule": {...}, "position": 0}; PUT and DELETE /zones/ID/entrypoint/rules/RULE
  PUT    /zones/ID/waf                  {"finishMs": 5000, "afterFinish": "410", "eligible": false, ...}
  POST   /zones/ID/waf/deploy           as in the dashboard; also /zones/ID/waf/turn-off-previous
  POST   /zones/ID/scripts              add a seen script; also /connections, /cookies; DELETE /zones/ID/items/ITEM
  POST   /faults                        {"kind": "reset-after", "method": "POST", "path": "/policies", "count": 1}
                                        kinds: latency 429 500 502 503 status reset-before reset-after hang truncate html
                                        success-false extra-fields missing-fields normalise shift
  GET    /faults                        active faults; DELETE /faults, DELETE /faults/FAULT
  GET    /journal                       requests so far: ?method=PUT&path=/policies&changing=true; DELETE clears it
  PUT    /token, /latency, /rate-limit  {"token": "..."}, {"ms": 20}, {"limit": 60, "windowMs": 10000, "blockMs": 10000}
                                        and "counting", "headers", "retryAfter" as in the options above
  POST   /rate-limit/spend              {"requests": 30}: spend budget as another process would

Example:
  page-guard-simulator --zone 0123456789abcdef0123456789abcdef:enterprise --latency 20
`;

/** An error that the user can correct. It is shown without a stack trace. */
class UsageError extends Error {}

async function run(argv: readonly string[]): Promise<void> {
  const values = parsed(argv);
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const { host = "127.0.0.1", token } = values;
  const port = wholeNumber("--port", values.port, 65_535) ?? 0;
  const zones = (values.zone ?? []).map(toZone);
  const rateLimit = readRateLimit(values);
  const sim = await startSimulator({
    port,
    host,
    allowedHosts: values["allow-host"] ?? [],
    seed: wholeNumber("--seed", values.seed) ?? 1,
    latencyMs: wholeNumber("--latency", values.latency) ?? 0,
    ...(token !== undefined && { token }),
    ...(rateLimit && { rateLimit }),
  }).catch((error: unknown) => {
    throw notListening(error, `${host}:${port}`);
  });
  // Listen for signals before printing, because whoever reads the output may send a signal at once.
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  for (const { id, plan } of zones) sim.zones.seed(id, { plan });
  const lines = [
    `Base URL:    ${sim.url}`,
    `Control URL: ${sim.controlUrl}`,
    ...zones.map(({ id, plan }) => `Zone:        ${id} (${plan})`),
    "",
    `export PAGE_GUARD_BASE_URL=${sim.url}`,
    `export PAGE_GUARD_API_TOKEN=${sim.token}`,
    "",
    "Stop it with Ctrl+C.",
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  await interrupted;
  await sim.stop();
}

function parsed(argv: readonly string[]) {
  const text = { type: "string" } as const;
  const list = { type: "string", multiple: true } as const;
  const options = {
    port: text,
    host: text,
    "allow-host": list,
    token: text,
    seed: text,
    zone: list,
    latency: text,
    "rate-limit": text,
    "rate-window": text,
    "rate-block": text,
    "rate-counting": text,
    "rate-headers": text,
    "rate-retry-after": text,
    help: { type: "boolean", short: "h" } as const,
  };
  try {
    return parseArgs({ args: [...argv], options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readRateLimit(values: ReturnType<typeof parsed>): RateLimitOptions | undefined {
  const limit = wholeNumber("--rate-limit", values["rate-limit"]);
  const windowMs = wholeNumber("--rate-window", values["rate-window"]) ?? 300_000;
  const blockMs = wholeNumber("--rate-block", values["rate-block"]) ?? windowMs;
  const counting = requireWord("--rate-counting", values["rate-counting"], ["sliding", "fixed"]) ?? "sliding";
  const form = requireWord("--rate-headers", values["rate-headers"], [...rateHeaderForms, "none"]);
  const headers = form === "none" ? [] : rateHeaderForms;
  const retryAfter =
    requireWord("--rate-retry-after", values["rate-retry-after"], retryAfterForms) ?? "seconds";
  return limit === undefined ? undefined : { limit, windowMs, blockMs, counting, headers, retryAfter };
}

function wholeNumber(flag: string, text: string | undefined, most = 999_999_999): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${flag} takes a whole number from 0 to ${most}.`);
}

function requireWord<const T>(flag: string, text: string | undefined, words: readonly T[]): T | undefined {
  const word = words.find((one) => one === text);
  if (text === undefined || word !== undefined) return word;
  throw new UsageError(`${flag} takes ${words.join(" or ")}.`);
}

function toZone(text: string): { readonly id: string; readonly plan: Plan } {
  const [id = "", planName = "enterprise"] = text.split(":");
  const plan = plans.find((candidate) => candidate === planName);
  if (isZoneId(id) && plan !== undefined) return { id, plan };
  const form = "an id of 32 hexadecimal characters, optionally followed by a colon and a plan";
  throw new UsageError(`--zone takes ${form}: ${plans.join(", ")}.`);
}

function notListening(error: unknown, where: string): unknown {
  const code = String(Reflect.get(Object(error), "code"));
  const isExpected = ["EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "ENOTFOUND"].includes(code);
  const way =
    "Choose another --port (0 for any free port) or --host, or stop the program that listens there.";
  return isExpected ? new UsageError(`Cannot listen at ${where} (${code}). ${way}`) : error;
}

run(process.argv.slice(2)).catch((error: unknown) => {
  const isExpected = error instanceof UsageError;
  const text = error instanceof Error ? (isExpected ? error.message : error.stack) : String(error);
  process.stderr.write(`${text}\n`);
  if (isExpected) process.stderr.write("(page-guard-simulator --help shows the options)\n");
  process.exitCode = 1;
});
