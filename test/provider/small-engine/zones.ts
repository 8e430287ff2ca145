import type { Kind } from "../../../provider/src/lifecycle/kind";
import { Simulator, startSimulator, type ZoneSeed } from "../../../simulator/src";
import { VirtualTime } from "../virtual-time/virtual-time";
import type { Properties } from "./checkpoint";
import { directWire, nowhere } from "./direct-wire";
import { SmallEngine } from "./small-engine";

/** Current schema version of states. */
export const schemaVersion = 1;

export const zoneA = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
export const zoneB = "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf";

/** A zone with an unmanaged policy, and without scripts, connections and cookies. */
export const quietZone: ZoneSeed = {
  policies: [{ description: "somebody's", expression: 'http.host eq "blog.example.com"' }],
  scripts: 0,
  connections: 0,
  cookies: 0,
};

/** Returns the inputs of a valid policy, replaced by `args`. */
export function policy(args: Properties = {}): Properties {
  const value = "script-src 'self' https://js.example.com; object-src 'none'";
  return {
    zoneId: zoneA,
    description: "checkout",
    action: "log",
    expression: 'http.host eq "shop.example.com"',
    ...(!("directives" in args) && { value }),
    ...args,
  };
}

export interface Story<Inputs, State extends object> {
  readonly sim: Simulator;
  readonly engine: SmallEngine<Inputs, State>;
}

/** Returns a function that starts a story of one kind. Stops the story's simulator after each test. */
export function useStories<Inputs, State extends object>(
  kind: Kind<Inputs, State>,
): (zones?: Readonly<Record<string, ZoneSeed>>, env?: NodeJS.ProcessEnv) => Promise<Story<Inputs, State>> {
  const started: Simulator[] = [];

  afterEach("stop the simulators", async () => {
    await Promise.all(started.splice(0).map((sim) => sim.stop()));
  });

  return async (zones = { [zoneA]: quietZone, [zoneB]: quietZone }, env = {}) => {
    const sim = await startSimulator();
    started.push(sim);
    for (const [zoneId, seed] of Object.entries(zones)) sim.zones.seed(zoneId, seed);
    return { sim, engine: new SmallEngine(sim, kind, { env }) };
  };
}

/** Starts a story without sockets and in virtual time, so that there is nothing to stop. */
export function quickStory<Inputs, State extends object>(
  kind: Kind<Inputs, State>,
  zones: Readonly<Record<string, ZoneSeed>> = { [zoneA]: quietZone, [zoneB]: quietZone },
  { isPlugin }: { readonly isPlugin?: boolean } = {},
): Story<Inputs, State> & { readonly time: VirtualTime } {
  const time = new VirtualTime();
  const sim = new Simulator({ now: time.now, token: "story", seed: 3 });
  for (const [zoneId, seed] of Object.entries(zones)) sim.zones.seed(zoneId, seed);
  const wire = directWire(sim);
  const env = { PAGE_GUARD_BASE_URL: nowhere };
  const engine = new SmallEngine(sim, kind, { env, time, random: () => 0.5, wire: () => wire, isPlugin });
  return { sim, engine, time };
}

/** Returns the descriptions of the zone's policies, without the unmanaged one. */
export function ourPolicies(sim: Simulator, zoneId = zoneA): string[] {
  const names = sim.zone(zoneId).policies.map(({ description }) => description);
  return names.filter((name) => name !== "somebody's").sort();
}
