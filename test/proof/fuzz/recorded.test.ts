import assert from "node:assert/strict";
import fc from "fast-check";
import { createClient } from "../../../provider/src/api/create-client";
import { dynamicProvider } from "../../../provider/src/lifecycle/dynamic-provider";
import type { Kind } from "../../../provider/src/lifecycle/kind";
import { createRun } from "../../../provider/src/lifecycle/run";
import { upgradeState } from "../../../provider/src/lifecycle/state";
import { declaredKind } from "../../../provider/src/model/urn";
import { type Simulator, startSimulator } from "../../../simulator/src";
import {
  type Kept,
  type KeptZones,
  keptResources,
  keptVersions,
  readKept,
  seedsOf,
} from "../../provider/old-state/kept";
import { kinds } from "../../provider/old-state/kinds";
import type { Properties } from "../../provider/small-engine/checkpoint";
import { directWire } from "../../provider/small-engine/direct-wire";
import { damaged, feedLater } from "./fuzz";

const kept = keptVersions.flatMap((version) =>
  keptResources(version).map((resource) => ({ ...withoutCiphers(resource), version })),
);

/** Returns a resource with plain values in place of its secrets, as the engine passes them to a provider. */
function withoutCiphers(resource: Kept): Kept {
  return JSON.parse(JSON.stringify(resource), (_name, value) =>
    typeof value?.ciphertext === "string" ? "script-src 'self'" : value,
  );
}

describe("Any damaged state", () => {
  let sim: Simulator;

  before(async () => {
    sim = await startSimulator();
  });
  after(() => sim.stop());

  for (const kind of kinds as readonly Kind<unknown, object>[]) {
    const samples = kept.filter(({ type }) => type.endsWith(`:${kind.name}`));
    const records = fc.constantFrom(...samples).chain((sample) =>
      damaged([sample.outputs])
        .filter((record) => typeof record === "object" && record !== null && !Array.isArray(record))
        .map((record) => ({ ...sample, outputs: Object(record) as Properties })),
    );

    it(`of a ${kind.name} is read without invented values, or refused`, async () => {
      await feedLater(records, async ({ outputs }) => {
        let state: object;
        try {
          state = kind.parseState(upgradeState(outputs, kind.name));
        } catch {
          // The next test checks the refusal.
          return;
        }
        const { schemaVersion: _ours, ...read } = Object(state);
        assert.deepEqual(unsaid(read, outputs), [], JSON.stringify(outputs));
      });
      assert.equal(Reflect.get({}, "polluted"), undefined);
    });

    it(`of a ${kind.name}: preview, refresh, update and destroy work, or refuse it with a message that names it`, async () => {
      await feedLater(records, async ({ version, id, inputs, outputs }) => {
        const { zones } = readKept<KeptZones>(version, "zones.json");
        for (const [zone, seed] of Object.entries(seedsOf(zones))) sim.zones.seed(zone, seed);
        const declared = { ...inputs };
        await accepted(kind, () => provider().diff?.(id, outputs, declared));
        await accepted(kind, () => checked(outputs, declared));
        await accepted(kind, () => provider().read?.(id, outputs));
        await accepted(kind, () => provider().update?.(id, outputs, declared));
        await accepted(kind, () => provider().delete?.(id, outputs));
      });
    });

    /** Calls `check` with old inputs from the state. Checks the messages of its failures. */
    async function checked(olds: Properties, news: Properties): Promise<void> {
      const { failures = [] } = (await provider().check?.(olds, news)) ?? {};
      for (const { reason } of failures) refusal(kind, reason);
    }

    function provider() {
      let now = Date.UTC(2027, 0, 1);
      const env = { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token };
      return dynamicProvider(
        () => kind,
        createRun({
          env,
          log: async () => undefined,
          now: () => now,
          sleep: async (milliseconds) => {
            now += milliseconds;
          },
          createClient: (connection) => createClient(connection, { env, transport: directWire(sim) }),
        }),
      );
    }
  }
});

/** Runs work that may fail. Checks the messages of its failure. */
async function accepted(kind: { readonly name: string }, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    const reasons = (error instanceof Error && Reflect.get(error, "reasons")) || undefined;
    for (const reason of Array.isArray(reasons) ? reasons : [Object(error).message]) refusal(kind, reason);
  }
}

function refusal({ name }: { readonly name: string }, text: string): void {
  assert.match(text, /\[[\w-]+\]$/, text);
  assert.doesNotMatch(text, /\[unexpected\]$/, text);
  assert.ok(text.length < 6000, `${text.length} characters: ${text}`);
  if (text.endsWith("[state-unreadable]"))
    assert.ok(text.includes(declaredKind(name)) || text.includes("a rule"), text);
}

/** Returns the places of values that were read but are not in the state. */
function unsaid(read: unknown, record: unknown, path = ""): string[] {
  if (typeof read !== "object" || read === null) return Object.is(read, record) ? [] : [path];
  if (typeof record !== "object" || record === null || Array.isArray(read) !== Array.isArray(record))
    return [path];
  if (Array.isArray(read) && read.length !== Object(record).length) return [path];
  return Object.entries(read).flatMap(([name, value]) =>
    value === undefined && !Object.hasOwn(record, name)
      ? []
      : unsaid(value, Object.hasOwn(record, name) ? Reflect.get(record, name) : undefined, `${path}.${name}`),
  );
}
