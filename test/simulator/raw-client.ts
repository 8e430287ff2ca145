import { type Simulator, type SimulatorOptions, startSimulator, type ZoneSeed } from "../../simulator/src";

export const zoneId = "0123456789abcdef0123456789abcdef";
export const entrypointPath = "rulesets/phases/http_request_firewall_managed/entrypoint";
export const managedRuleset = "efb7b8c949ac4650a09736fc376e9aee";

/** What came over the wire, as it came: these tests know its shape from the documents, not from types. */
export type Body = ReturnType<typeof JSON.parse>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
  readonly result: Body;
  readonly error: { code: number; message: string; source?: { pointer: string } };
}

const running: Simulator[] = [];

/** A simulator that `stopAll` ends. */
export async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const sim = await startSimulator(options);
  running.push(sim);
  return sim;
}

/** One with the zone of the tests. */
export async function seeded(wishes: ZoneSeed = {}, options: SimulatorOptions = {}): Promise<Simulator> {
  const sim = await start(options);
  sim.zones.seed(zoneId, wishes);
  return sim;
}

export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((sim) => sim.stop()));
}

/** One raw request, relative to the zone unless the path starts with a slash. */
export async function call(
  sim: Simulator,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const target = path.startsWith("/") ? `${sim.url}${path}` : `${sim.url}/zones/${zoneId}/${path}`;
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(target, {
    method,
    headers: { authorization: `Bearer ${sim.token}`, ...type, ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return reply(response);
}

/** One request to the control interface. */
export async function control(sim: Simulator, method: string, path: string, body?: unknown): Promise<Reply> {
  const response = await fetch(`${sim.controlUrl}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  return reply(response);
}

async function reply(response: Response): Promise<Reply> {
  const text = await response.text();
  const body: Body = response.headers.get("content-type")?.startsWith("application/json")
    ? JSON.parse(text)
    : undefined;
  const { status, headers } = response;
  return { status, headers, text, body, result: body?.result, error: body?.errors?.[0] };
}

export const policyBody = {
  description: "shop",
  action: "log",
  expression: 'http.host eq "shop.example.com"',
  enabled: "true",
  value: "script-src 'self' cdn.example.net",
};

export const executeRule = {
  action: "execute",
  expression: "true",
  description: "managed",
  action_parameters: { id: managedRuleset },
};
