import type { Transport } from "../../../provider/src/api/http/transport";
import type { Simulator } from "../../../simulator/src";
import { directWire, nowhere } from "../../provider/small-engine/direct-wire";
import type { Options, Program } from "../../provider/small-engine/operation";
import { SmallEngine } from "../../provider/small-engine/small-engine";
import { VirtualTime } from "../../provider/virtual-time/virtual-time";
import { household } from "./household";
import type { Machine, Watch } from "./machine";
import { kindOf } from "./program";
import type { Scenario } from "./story";

/** The small engine in simulated time, without sockets. Each process has its own user agent. */
export class SmallMachine implements Machine {
  readonly sim: Simulator;
  readonly stack: SmallEngine<unknown, object>;
  private readonly time = new VirtualTime();
  private readonly wire: Transport;
  private watching: Watch | undefined;
  private processes = 0;

  constructor(story: Scenario) {
    this.sim = household(story, this.time.now);
    this.wire = directWire(this.sim, {
      arrived: (entry) => this.watching?.arrived(entry),
      processed: (entry) => this.watching?.processed(entry),
    });
    this.stack = new SmallEngine<unknown, object>(this.sim, kindOf, {
      env: { PAGE_GUARD_BASE_URL: nowhere },
      time: this.time,
      wire: () => this.wireOfProcess(),
    });
  }

  foresee(program: Program, options: Options): Promise<readonly string[]> {
    return this.stack.preview(program, options);
  }

  watch(watch: Watch): void {
    this.watching = watch;
  }

  pass(milliseconds: number): void {
    this.time.pass(milliseconds);
  }

  private wireOfProcess(): Transport {
    this.processes += 1;
    const name = `process ${this.processes}`;
    return (request, signal) =>
      this.wire({ ...request, headers: { ...request.headers, "user-agent": name } }, signal);
  }
}
