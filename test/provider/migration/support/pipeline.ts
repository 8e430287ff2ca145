import { Agent } from "undici";
import { createClient } from "../../../../provider/src/api/create-client";
import {
  type Transport,
  type TransportResult,
  undiciTransport,
} from "../../../../provider/src/api/http/transport";
import { RateLimiter } from "../../../../provider/src/api/rate-limit/rate-limiter";
import { dynamicProvider } from "../../../../provider/src/lifecycle/dynamic-provider";
import { PartialFailureError } from "../../../../provider/src/lifecycle/partial-failure-error";
import { createRun } from "../../../../provider/src/lifecycle/run";
import { wafMigrationStep } from "../../../../provider/src/resources/waf-migration/lifecycle";
import type { Simulator } from "../../../../simulator/src";
import { aborted } from "../../small-engine/direct-wire";
import type { EventClock } from "./event-clock";

type Properties = Record<string, unknown>;

/** The checkpoint of the one resource. */
export interface Checkpoint {
  readonly inputs: Properties;
  readonly outputs: Properties;
  /** The engine's note of a failed change. */
  readonly hasInitErrors: boolean;
}

/** Where a process dies: at its n-th request (from 0), before it leaves or after its answer has come. */
export interface Death {
  readonly request: number;
  readonly side: "before" | "after";
}

export interface ProcessOptions {
  readonly death?: Death | undefined;
  /** How slow the way is for each request, in rotation: mixes two pipelines. */
  readonly pace?: readonly number[];
}

export interface Ended {
  readonly checkpoint: Checkpoint | undefined;
  /** The CLI's exit code would not be 0. */
  readonly failure?: string;
  readonly wasKilled: boolean;
}

const agent = new Agent({ pipelining: 1, connections: 8 });

/** Milliseconds for one attempt. */
const attemptMs = 2000;

/** Milliseconds that a request takes there and back, and more for each step of its pace. */
const wayMs = 40;
const slowerMs = 60;

/** The engine around the real lifecycle: each operation is a provider process of its own. */
export class Pipeline {
  private processes = 0;

  constructor(
    private readonly sim: Simulator,
    private readonly clock: EventClock,
    /** Added to the environment of each process. */
    private readonly env: NodeJS.ProcessEnv = {},
    /** The way to the service: sockets, when nothing else is said. */
    private readonly wire: Transport = undiciTransport(agent),
  ) {}

  /** `pulumi up`: check, then create, or diff and update. `started` tells the name by which its requests are known. */
  async up(
    before: Checkpoint | undefined,
    declared: Properties,
    options: ProcessOptions = {},
  ): Promise<Ended> {
    return this.operation(before, options, async (provider) => {
      const urn = "urn:pulumi:dev::story::WafMigrationStep::waf";
      const { inputs, failures = [] } = await provider.check(before?.inputs ?? {}, {
        ...declared,
        __urn: urn,
      });
      if (failures.length > 0) {
        return {
          checkpoint: before,
          failure: failures.map(({ reason }: { reason: string }) => reason).join("\n"),
        };
      }
      try {
        if (!before) {
          const { outs } = await provider.create(inputs);
          return { checkpoint: { inputs, outputs: outs, hasInitErrors: false } };
        }
        const id = String(inputs["zoneId"]);
        const { changes, replaces = [] } = await provider.diff(id, before.outputs, inputs);
        if (replaces.length > 0) throw new Error("the engine was asked to replace a migration");
        const isSame = JSON.stringify(before.inputs) === JSON.stringify(inputs);
        if (!before.hasInitErrors && (changes === false || (changes === undefined && isSame))) {
          return { checkpoint: { ...before, inputs } };
        }
        const { outs } = await provider.update(id, before.outputs, inputs);
        return { checkpoint: { inputs, outputs: outs, hasInitErrors: false } };
      } catch (error) {
        if (!(error instanceof PartialFailureError)) throw error;
        const outputs = Object(error.properties) as Properties;
        return { checkpoint: { inputs, outputs, hasInitErrors: true }, failure: error.message };
      }
    });
  }

  /** `pulumi refresh`. Clears the note of a failed change, as the engine does. */
  async refresh(before: Checkpoint | undefined, options: ProcessOptions = {}): Promise<Ended> {
    if (!before) return { checkpoint: undefined, wasKilled: false };
    return this.operation(before, options, async (provider) => {
      const { inputs, props, id } = await provider.read(String(before.inputs["zoneId"]), before.outputs);
      if (!id) throw new Error("a refresh says that a migration is gone");
      return { checkpoint: { inputs, outputs: props, hasInitErrors: false } };
    });
  }

  private async operation(
    before: Checkpoint | undefined,
    options: ProcessOptions,
    // The engine's side of the SDK's provider interface, whose methods are all optional there.
    // biome-ignore lint/suspicious/noExplicitAny: the SDK types what a provider may return as any.
    work: (provider: any) => Promise<Omit<Ended, "wasKilled">>,
  ): Promise<Ended> {
    this.processes += 1;
    const { transport, died } = this.mortal(`up-${this.processes}`, options);
    const { clock } = this;
    const run = createRun({
      env: { PAGE_GUARD_BASE_URL: this.sim.url, PAGE_GUARD_API_TOKEN: this.sim.token, ...this.env },
      now: clock.now,
      sleep: clock.sleep,
      random: seededRandom(this.processes),
      createClient: (connection) =>
        createClient(connection, {
          transport,
          clock,
          random: () => 0.5,
          limiter: new RateLimiter(clock, { limit: 1_000_000, windowMs: 1000 }),
          env: { PAGE_GUARD_TIMEOUT_MS: String(attemptMs) },
        }),
    });
    const provider = dynamicProvider(() => wafMigrationStep, run);
    const lived = work(provider).then(
      (ended) => ({ ...ended, wasKilled: false }),
      (error: unknown) => ({
        checkpoint: before,
        failure: error instanceof Error ? error.message : String(error),
        wasKilled: false,
      }),
    );
    return Promise.race([
      lived,
      died.then(() => ({ checkpoint: before, failure: "killed", wasKilled: true })),
    ]);
  }

  /** Sends under the process's name, and from the moment of death on sends and answers nothing. */
  private mortal(
    name: string,
    { death, pace = [] }: ProcessOptions,
  ): { transport: Transport; died: Promise<void> } {
    const never = new Promise<never>(() => undefined);
    let die: () => void = () => undefined;
    const died = new Promise<void>((resolve) => {
      die = resolve;
    });
    let isDead = false;
    let sent = 0;
    const end = (): Promise<never> => {
      isDead = true;
      die();
      return never;
    };
    const transport: Transport = async (request, signal) => {
      const mine = sent;
      sent += 1;
      if (isDead) return never;
      const named = { ...request, headers: { ...request.headers, "user-agent": name } };
      const halfWay = (wayMs + slowerMs * (pace[mine % pace.length] ?? 0)) / 2;
      await this.clock.sleep(halfWay);
      if (isDead) return never;
      if (death?.request === mine && death.side === "before") return end();
      const answer = await this.clock.hold(() => this.ask(named, signal));
      await this.clock.sleep(halfWay);
      if (isDead) return never;
      return death?.request === mine ? end() : (answer ?? aborted(signal));
    };
    return { transport, died };
  }

  /** Undefined: it hangs, and the time of the attempt has to run out. */
  private async ask(
    request: Parameters<Transport>[0],
    signal: AbortSignal,
  ): Promise<TransportResult | undefined> {
    const { journal } = this.sim;
    const before = journal.length;
    let answer: TransportResult | undefined;
    void this.wire(request, signal).then((result) => {
      answer = result;
    });
    const isHanging = () => journal.length > before && journal.at(-1)?.fault?.includes("hang") === true;
    while (!answer && !isHanging()) await turn();
    // It may be carried out before it hangs.
    for (let turns = 0; !answer && turns < 5; turns += 1) await turn();
    return answer;
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Numbers for the jitter of one process. */
function seededRandom(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}
