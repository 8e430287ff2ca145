import { Command, InvalidArgumentError, Option } from "commander";
import { forTerminal } from "../reports/escape";
import { type Plan, type RateHeaderForm, type RateLimitOptions, startSimulator } from ".";
import { CommandError } from "./command-error";
import { repeatable, toZoneId, wholeNumber } from "./options";
import { retryAfterForms } from "./wire/rate-limit";

interface SimulatorFlags {
  readonly port: number;
  readonly host: string;
  readonly allowHost: readonly string[];
  readonly token?: string;
  readonly seed: number;
  readonly latency: number;
  readonly zone: readonly ZoneWish[];
  readonly rateLimit?: number;
  readonly rateWindow: number;
  readonly rateBlock?: number;
  readonly rateCounting: NonNullable<RateLimitOptions["counting"]>;
  readonly rateHeaders: RateHeaderForm | "none";
  readonly rateRetryAfter: NonNullable<RateLimitOptions["retryAfter"]>;
}

interface ZoneWish {
  readonly id: string;
  readonly plan: Plan;
}

const plans: readonly Plan[] = ["pro", "business", "enterprise"];

const controlHelp = `
Control interface (JSON, no token; bodies with Content-Type: application/json), after the control URL:
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
                                        and "counting", "headers", "reset", "retryAfter" as in the options below
  POST   /rate-limit/spend              {"requests": 30}: spend budget as another process would

Example:
  page-guard-simulator --zone 0123456789abcdef0123456789abcdef:enterprise --latency 20
`;

/** `page-guard-simulator`: serves both APIs on loopback until interrupted. */
export function simulatorCommand(): Command {
  return new Command("simulator")
    .description("Serve both APIs from memory on loopback, to try things out without an account")
    .option("--port <number>", "port to listen on; 0 for any free one", wholeNumber(0, 65_535), 0)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--allow-host <name>", "host name to accept besides localhost (repeatable)", repeatable, [])
    .option("--token <token>", "token to accept (default: a random one, printed)")
    .option("--seed <number>", "seed of all generated data", count, 1)
    .option(
      "--zone <id[:plan]>",
      "zone to create, with plan pro, business or enterprise (repeatable)",
      addZone,
      [],
    )
    .option("--latency <ms>", "milliseconds that each request takes", count, 0)
    .option("--rate-limit <requests>", "requests per window; more of them block every request", count)
    .option("--rate-window <ms>", "length of the window", count, 300_000)
    .option("--rate-block <ms>", "length of the block (default: the window)", count)
    .addOption(
      new Option("--rate-counting <kind>", "sliding or fixed window")
        .choices(["sliding", "fixed"])
        .default("sliding"),
    )
    .addOption(
      new Option("--rate-headers <form>", "rate limit headers to send")
        .choices(["ratelimit", "none"])
        .default("ratelimit"),
    )
    .addOption(
      new Option("--rate-retry-after <form>", "retry-after of a refusal in seconds, as a date, or none")
        .choices(retryAfterForms)
        .default("seconds"),
    )
    .addHelpText("after", controlHelp)
    .action(run);
}

async function run(flags: SimulatorFlags): Promise<void> {
  const { rateLimit, rateWindow, rateBlock = rateWindow } = flags;
  const sim = await startSimulator({
    port: flags.port,
    host: flags.host,
    allowedHosts: flags.allowHost,
    seed: flags.seed,
    latencyMs: flags.latency,
    ...(flags.token !== undefined && { token: flags.token }),
    ...(rateLimit !== undefined && {
      rateLimit: {
        limit: rateLimit,
        windowMs: rateWindow,
        blockMs: rateBlock,
        counting: flags.rateCounting,
        headers: flags.rateHeaders === "none" ? [] : [flags.rateHeaders],
        retryAfter: flags.rateRetryAfter,
      },
    }),
  }).catch((error: unknown) => {
    throw notListening(error, flags);
  });
  // Before anything is printed: the reader may send a signal at once.
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  for (const { id, plan } of flags.zone) sim.zones.seed(id, { plan });
  const lines = [
    `Base URL:    ${sim.url}`,
    `Control URL: ${sim.controlUrl}`,
    ...flags.zone.map(({ id, plan }) => `Zone:        ${id} (${plan})`),
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

function notListening(error: unknown, { host, port }: SimulatorFlags): unknown {
  const code: unknown = Reflect.get(Object(error), "code");
  const where = `${forTerminal(host)}:${port}`;
  switch (code) {
    case "EADDRINUSE":
      return new CommandError(
        `${where} is already in use, perhaps by another simulator. Stop it, or choose another --port (0: any free one).`,
      );
    case "EACCES":
      return new CommandError(
        `This user may not listen at ${where}. Choose a --port above 1023 (0: any free one).`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new CommandError(
        `${forTerminal(host)} is not an address of this machine (${code}). Leave out --host for 127.0.0.1.`,
      );
    default:
      return error;
  }
}

const count = wholeNumber(0, 999_999_999);

function addZone(text: string, before: readonly ZoneWish[]): readonly ZoneWish[] {
  const [id = "", wished = "enterprise"] = text.split(":");
  const plan = plans.find((candidate) => candidate === wished);
  if (plan === undefined) throw new InvalidArgumentError(`Expected a plan: ${plans.join(", ")}.`);
  return [...before, { id: toZoneId(id), plan }];
}
