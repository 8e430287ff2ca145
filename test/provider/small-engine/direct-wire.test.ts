import assert from "node:assert/strict";
import { Agent } from "undici";
import { undiciTransport } from "../../../provider/src/api/http/transport";
import { type FaultSpec, startSimulator } from "../../../simulator/src";
import { directWire } from "./direct-wire";
import { quietZone, zoneA } from "./zones";

const faults: readonly (FaultSpec | undefined)[] = [
  undefined,
  { kind: "429", retryAfter: 2 },
  { kind: "503", when: "after" },
  { kind: "status", status: 403 },
  { kind: "html", status: 502 },
  { kind: "success-false" },
  { kind: "missing-fields", fields: ["enabled"] },
  { kind: "truncate" },
  { kind: "reset-before" },
  { kind: "reset-after" },
];

describe("The direct wire, without sockets", () => {
  it("given any fault, then answers a request, changes the zone and writes the journal as with sockets", async () => {
    assert.deepEqual(await outcomes(false), await outcomes(true));
  });
});

/** Returns the result of a request with each fault, and its entry in the journal. */
async function outcomes(hasSockets: boolean): Promise<unknown[]> {
  const sim = await startSimulator({ now: () => Date.UTC(2025, 0, 1), token: "wire", seed: 3 });
  const agent = new Agent();
  const wire = hasSockets ? undiciTransport(agent) : directWire(sim);
  sim.zones.seed(zoneA, quietZone);
  const found: unknown[] = [];
  for (const fault of faults) {
    if (fault) sim.faults.add({ count: 1, ...fault } as FaultSpec);
    const { answer, failure } = await wire(
      {
        method: "PUT",
        url: `${sim.url}/zones/${zoneA}/page_shield`,
        headers: { authorization: `Bearer ${sim.token}`, "content-type": "application/json" },
        body: JSON.stringify({ enabled: found.length % 2 === 0 }),
      },
      new AbortController().signal,
    );
    const [entry] = sim.journal.slice(-1);
    const shown = answer && { ...answer, headers: answer.headers["retry-after"] };
    found.push({
      fault: fault?.kind,
      reason: failure?.reason.replace("UND_ERR_SOCKET", "ECONNRESET"),
      shown,
      journal: [entry?.method, entry?.path, entry?.status, entry?.changed, entry?.fault, entry?.body],
      settings: { ...sim.zone(zoneA).settings },
    });
  }
  await Promise.all([sim.stop(), agent.close()]);
  return found;
}
