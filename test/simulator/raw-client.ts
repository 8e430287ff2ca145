import assert from "node:assert/strict";
import { type Simulator, type SimulatorOptions, startSimulator, type ZoneSeed } from "../../simulator/src";

export const zoneId = "0123456789abcdef0123456789abcdef";
export const entrypointPath = "rulesets/phases/http_request_firewall_managed/entrypoint";
export const managedRuleset = "efb7b8c949ac4650a09736fc376e9aee";

/** Body of an answer as it arrived. These tests know its form from the documents, not from types. */
export type Body = ReturnType<typeof JSON.parse>;

const running: Simulator[] = [];

/** Starts a simulator that `stopAll` stops. */
export async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const sim = await startSimulator(options);
  running.push(sim);
  return sim;
}

/** Starts a simulator with the zone of the tests. */
export async function seeded(wishes: ZoneSeed = {}, options: SimulatorOptions = {}): Promise<Simulator> {
  const sim = await start(options);
  sim.zones.seed(zoneId, wishes);
  return sim;
}

export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((sim) => sim.stop()));
}

/** Sends a request to the zone, or to the whole API if the path starts with a slash. Sends a text body unchanged. */
export function call(
  sim: Simulator,
  method: string,
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
) {
  const headers = { authorization: `Bearer ${sim.token}`, ...more };
  const url = path.startsWith("/") ? `${sim.url}${path}` : `${sim.url}/zones/${zoneId}/${path}`;
  return send(url, { method, headers, body });
}

/** Sends a request to the control interface. */
export function control(sim: Simulator, method: string, path: string, body?: unknown) {
  return send(`${sim.controlUrl}${path}`, { method, headers: {}, body });
}

async function send(
  url: string,
  request: { method: string; headers: Record<string, string>; body: unknown },
) {
  const { method, body: sent } = request;
  const type: Record<string, string> = sent === undefined ? {} : { "content-type": "application/json" };
  const body = sent === undefined ? null : typeof sent === "string" ? sent : JSON.stringify(sent);
  const response = await fetch(url, { method, headers: { ...type, ...request.headers }, body });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const answer: Body = isJson ? JSON.parse(text) : undefined;
  const error: { code: number; message: string; source?: { pointer: string } } = answer?.errors?.[0];
  const { status, headers } = response;
  return { status, headers, text, body: answer, result: answer?.result as Body, error };
}

/** A request (`PUT page_guard`), its body, and the status and place of the refusal. */
export type Refused = readonly [target: string, body: unknown, status: number, pointer?: string];

/** Checks that each request is refused, and that the zone does not change. */
export async function refused(sim: Simulator, rows: readonly Refused[]): Promise<void> {
  const before = sim.zone(zoneId);
  for (const [target, body, status, pointer] of rows) {
    const [method = "", path = ""] = target.split(" ");
    const reply = await call(sim, method, path, body);
    const what = `${target} ${JSON.stringify(body)?.slice(0, 200)}`;
    assert.deepEqual([reply.status, reply.body.success, reply.body.result], [status, false, null], what);
    if (pointer !== undefined) assert.equal(reply.error.source?.pointer, pointer, what);
  }
  assert.deepEqual(sim.zone(zoneId), before);
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
