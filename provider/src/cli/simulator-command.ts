import { Command, InvalidArgumentError, Option } from "commander";
import { forTerminal } from "../reports/escape";
import {
  type Plan,
  type RateHeaderForm,
  type ResetForm,
  type RetryAfterForm,
  startSimulator,
} from "../simulator";
import { rateHeaderForms, resetForms, retryAfterForms } from "../simulator/wire/rate-headers";
import { CommandError } from "./command-error";

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
  readonly rateCounting: "sliding" | "fixed";
  readonly rateHeaders: readonly RateHeaderForm[];
  readonly rateReset: ResetForm;
  readonly rateRetryAfter: RetryAfterForm;
}

interface ZoneWish {
  readonly id: string;
  readonly plan: Plan;
}

const plans: readonly Plan[] = ["pro", "business", "enterprise"];

const controlHelp = `
Control interface (JSON, no token; bodies with Content-Type: application/json), after the control URL:
  GET    /                              what is there: zones, number of requests and faults
  PUT    /zones/ID                      make or replace a zone: {"plan": "pro", "scripts": 20, "waf": {"owasp": true}, ...}
  GET    /zones/ID                      the zone as it is now
  PUT    /zones/ID/plan                 {"plan": "business"}
  PUT    /zones/ID/settings             change settings as somebody else
  POST   /zones/ID/policies             add a policy as somebody else; PUT and DELETE /zones/ID/policies/POLICY
  PUT    /zones/ID/entrypoint           replace the rules: {"rules": [...]}, or null
  POST   /zones/ID/entrypoint/rules     {"rule": {...}, "position": 0}; PUT and DELETE /zones/ID/entrypoint/rules/RULE
  PUT    /zones/ID/waf                  {"finishMs": 5000, "afterFinish": "410", "eligible": false, ...}
  POST   /zones/ID/waf/deploy           as in the dashboard; also /zones/ID/waf/turn-off-previous
  POST   /zones/ID/scripts              something is seen; also /connections, /cookies; DELETE /zones/ID/items/ITEM
  POST   /faults                        {"kind": "reset-after", "method": "POST", "path": "/policies", "count": 1}
                                        kinds: latency 429 500 502 503 status reset-before reset-after hang truncate html
                                        success-false extra-fields missing-fields normalise shift
  GET    /faults                        those in force; DELETE /faults, DELETE /faults/FAULT
  GET    /journal                       requests so far: ?method=PUT&path=/policies&changing=true; DELETE empties it
  PUT    /token, /latency, /rate-limit  {"token": "..."}, {"ms": 20}, {"limit": 60, "windowMs": 10000, "blockMs": 10000}
                                        and "counting", "headers", "reset", "retryAfter" as in the options below
  POST   /rate-limit/spend              {"requests": 30}: use up budget as another process would

Example:
  page-guard simulator --zone 0123456789abcdef0123456789abcdef:enterprise --latency 20
`;

/** `page-guard simulator`: serves both APIs on loopback until it is interrupted. */
export function simulatorCommand(): Command {
  return new Command("simulator")
    .description("Serve both APIs in memory on loopback, to try things out without an account")
    .option("--port <number>", "port to listen on; 0: any free one", portNumber, 0)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option(
      "--allow-host <name>",
      "name under which it may be asked, besides localhost (repeatable)",
      addName,
      [],
    )
    .option("--token <token>", "the token that is accepted (default: a random one, printed)")
    .option("--seed <number>", "decides everything that is made up", wholeNumber, 1)
    .option("--zone <id[:plan]>", "zone to make: pro, business or enterprise (repeatable)", addZone, [])
    .option("--latency <ms>", "milliseconds that every request takes", wholeNumber, 0)
    .option("--rate-limit <requests>", "requests in a window; passing it blocks every request", wholeNumber)
    .option("--rate-window <ms>", "length of the window", wholeNumber, 300_000)
    .option("--rate-block <ms>", "length of the block (default: as long as the window)", wholeNumber)
    .addOption(
      new Option("--rate-counting <kind>", "a window that slides, or one that starts anew")
        .choices(["sliding", "fixed"])
        .default("sliding"),
    )
    .option(
      "--rate-headers <forms>",
      `how answers tell the limit: none, or ${rateHeaderForms.join(", ")} joined by commas`,
      headerForms,
      ["x-ratelimit"],
    )
    .addOption(
      new Option("--rate-reset <form>", "x-ratelimit-reset in seconds from now, since 1970, or as a date")
        .choices(resetForms)
        .default("delta"),
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
    ...(flags.token === undefined ? {} : { token: flags.token }),
    ...(rateLimit === undefined
      ? {}
      : {
          rateLimit: {
            limit: rateLimit,
            windowMs: rateWindow,
            blockMs: rateBlock,
            counting: flags.rateCounting,
            headers: flags.rateHeaders,
            reset: flags.rateReset,
            retryAfter: flags.rateRetryAfter,
          },
        }),
  }).catch((error: unknown) => {
    throw notListening(error, flags);
  });
  // Before anything is printed: who reads the lines may send a signal at once.
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

/** An address that cannot be had is the caller's to change; anything else is a fault. */
function notListening(error: unknown, { host, port }: SimulatorFlags): unknown {
  const code: unknown = Reflect.get(Object(error), "code");
  const where = `${forTerminal(host)}:${port}`;
  switch (code) {
    case "EADDRINUSE":
      return new CommandError(
        `Something listens at ${where} already, another simulator perhaps. Stop it, or take another --port (0: any free one).`,
      );
    case "EACCES":
      return new CommandError(
        `This user may not listen at ${where}. Take a --port above 1023 (0: any free one).`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new CommandError(
        `${forTerminal(host)} is no address of this machine (${code}). Leave --host out for 127.0.0.1.`,
      );
    default:
      return error;
  }
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("It takes a whole number.");
  return Number(text);
}

function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError("A port is at most 65535.");
  return port;
}

function headerForms(text: string): readonly RateHeaderForm[] {
  if (text === "none") return [];
  return text.split(",").map((word) => {
    const form = rateHeaderForms.find((candidate) => candidate === word.trim());
    if (form !== undefined) return form;
    throw new InvalidArgumentError(`It takes none, or some of ${rateHeaderForms.join(", ")}.`);
  });
}

function addName(name: string, before: readonly string[]): readonly string[] {
  return [...before, name];
}

function addZone(text: string, before: readonly ZoneWish[]): readonly ZoneWish[] {
  const [id = "", wished = "enterprise"] = text.split(":");
  if (!/^[0-9a-f]{32}$/i.test(id)) {
    throw new InvalidArgumentError("A zone id has 32 hexadecimal characters.");
  }
  const plan = plans.find((candidate) => candidate === wished);
  if (plan === undefined) throw new InvalidArgumentError(`A plan is one of ${plans.join(", ")}.`);
  return [...before, { id, plan }];
}
