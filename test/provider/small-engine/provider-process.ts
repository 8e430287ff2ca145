import assert from "node:assert/strict";
import { createClient } from "../../../provider/src/api/create-client";
import type { Transport } from "../../../provider/src/api/http/transport";
import { dynamicProvider } from "../../../provider/src/lifecycle/dynamic-provider";
import type { Kind } from "../../../provider/src/lifecycle/kind";
import type { Run } from "../../../provider/src/lifecycle/run";
import { createRun } from "../../../provider/src/lifecycle/run";
import type { Simulator } from "../../../simulator/src";
import type { VirtualTime } from "../virtual-time/virtual-time";
import { nameOf, type Properties } from "./checkpoint";
import { type Death, type Mortal, mortal, mortalClock, timeless } from "./mortal";
import { pluginProvider } from "./plugin-face";

/** Returns the kind of a resource by its name. */
export type KindOf = (name: string) => Kind<unknown, object>;

export interface Surroundings {
  /** Variables added to the environment of each process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Virtual time for the clock of provider processes, in which waits take no real time. */
  readonly time?: VirtualTime | undefined;
  /** Returns the transport of a process, instead of sockets. Called once for each process. */
  readonly wire?: (() => Transport) | undefined;
  /** Whether the engine calls the provider as a plugin. Default: the variable `PAGE_GUARD_TEST_PLUGIN`. */
  readonly isPlugin?: boolean | undefined;
  /** Source of the processes' jitter. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** How the engine ends before its provider process: it cancels the operation, or it is killed. */
  readonly ending?: { cancellation: AbortSignal; isEngineGone: boolean } | undefined;
}

/** The clock of processes without virtual time. */
export interface PlainClock {
  /** Milliseconds since 1970. */
  now: number;
}

export interface Said {
  readonly name: string;
  readonly text: string;
}

/** Returns the provider of a resource by its name. */
export type Providers = (name: string) => ReturnType<typeof providerOf>;

/** A provider process, which lives for one operation. */
export interface ProviderProcess extends Mortal {
  readonly provider: Providers;
  readonly warnings: readonly Said[];
  /** Messages of the provider besides findings: plans, and the progress of waits. */
  readonly progress: readonly Said[];
}

/** Real milliseconds that an attempt may take in virtual time. No attempt takes so long, and no wait has this length. */
const attemptMs = 599_999;

export function startProcess(
  sim: Pick<Simulator, "url" | "token">,
  kindOf: KindOf,
  {
    env: added,
    time,
    wire,
    random,
    ending,
    isPlugin = process.env["PAGE_GUARD_TEST_PLUGIN"] === "1",
  }: Surroundings,
  clock: PlainClock,
  death?: Death,
): ProviderProcess {
  const warnings: Said[] = [];
  const progress: Said[] = [];
  const env = { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token, ...added };
  const life = mortal(death, wire?.());
  const transport = death || wire ? life.transport : undefined;
  const run: Run = createRun({
    env,
    log: async (severity, urn, text) => {
      if (severity !== "debug")
        (severity === "warning" ? warnings : progress).push({ name: nameOf(urn), text });
    },
    ...(random && { random }),
    ...(ending && {
      cancellation: () => ending.cancellation,
      isEngineGone: async () => ending.isEngineGone,
    }),
    now: time?.now ?? (() => clock.now),
    // A wait advances the clock.
    sleep:
      time?.sleep ??
      (async (milliseconds) => {
        clock.now += milliseconds;
      }),
    createClient: (connection, { waitSignal, isAbandoned }) =>
      createClient(connection, {
        env,
        waitSignal,
        isAbandoned,
        ...(time ? timeless(time, attemptMs) : { clock: mortalClock }),
        ...(transport && { transport }),
      }),
  });
  const providers = new Map<unknown, ReturnType<typeof providerOf>>();
  const provider: Providers = (name) => {
    const kind = kindOf(name);
    const known = providers.get(kind) ?? providerOf(kind, run, isPlugin);
    providers.set(kind, known);
    return known;
  };
  return { ...life, provider, warnings, progress };
}

/** Returns a provider with all methods, which are optional in the SDK's interface. */
function providerOf<Inputs, State extends object>(kind: Kind<Inputs, State>, run: Run, isPlugin: boolean) {
  const provider = isPlugin ? pluginProvider(kind, run) : dynamicProvider(() => kind, run);
  const there = <Method>(method: Method | undefined): Method => {
    assert.ok(method, "a method of the provider is missing");
    return method;
  };
  return {
    check: async (olds: Properties, news: Properties) => {
      const { inputs, failures = [] } = await there(provider.check)(olds, news);
      return { inputs: Object(inputs) as Properties, failures };
    },
    diff: there(provider.diff),
    create: there(provider.create),
    read: there(provider.read),
    update: there(provider.update),
    delete: there(provider.delete),
  };
}
