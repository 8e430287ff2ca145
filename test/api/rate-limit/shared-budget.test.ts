import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { createClient } from "../../../provider/src/api/create-client";
import { type BudgetServer, serveBudget } from "../../../provider/src/api/rate-limit/budget-server";
import type { Denied, Permit } from "../../../provider/src/api/rate-limit/permits";
import { SharedBudget } from "../../../provider/src/api/rate-limit/shared-budget";
import { BudgetLostError } from "../../../provider/src/errors/budget-lost-error";
import { startSimulator } from "../../../provider/src/simulator";
import { FakeClock } from "../../virtual-time/fake-clock";
import { ZONE } from "../scripted-server";

const minute = 60_000;

describe("One request budget for several processes", function () {
  this.timeout(120_000);
  let folder: string;
  let path: string;
  let clock: FakeClock;
  let server: BudgetServer;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-budget-"));
    path = join(folder, "budget");
    clock = new FakeClock();
    server = await serveBudget(path, { clock, ceiling: { limit: 4, windowMs: 5 * minute } });
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("given two processes of one token, then together they get what one would get; another token has a budget of its own", async () => {
    const [one, other] = [new SharedBudget(path, "a"), new SharedBudget(path, "a")];
    // The first answer says that nothing is counted down.
    granted(await one.acquire()).end({});
    for (const budget of [other, one, other]) granted(await budget.acquire()).end({});
    const fifth = one.acquire();
    assert.equal(await outcome(fifth), "waits");
    granted(await new SharedBudget(path, "b").acquire()).end({});
    await advanceUntil(fifth, 5 * minute + 1000);
    granted(await fifth);
  });

  it("given an answer to one process, then all others keep to what it says", async () => {
    const [one, other] = [new SharedBudget(path, "a"), new SharedBudget(path, "a")];
    granted(await one.acquire()).end({ isRefusal: true, retryAfterMs: 20_000 });
    assert.deepEqual(await other.acquire({ patienceMs: 5000 }), {
      denied: "too-long",
      retryAfterMs: 20_000,
    });
  });

  it("given a process that is killed, then what it had a permit for counts for five minutes, and what it only waited for does not", async () => {
    const child = startChild(path, 8);
    // Two until the first answer, then as many as the ceiling has.
    await child.granted(4);
    const other = new SharedBudget(path, "a");
    const next = other.acquire();
    assert.equal(await outcome(next), "waits");
    child.process.kill("SIGKILL");
    await once(child.process, "exit");
    assert.equal(await outcome(next), "waits");
    await clock.advance(4 * minute);
    assert.equal(await outcome(next), "waits");
    await advanceUntil(next, 2 * minute);
    granted(await next).end({});
    for (let more = 0; more < 3; more += 1) granted(await other.acquire()).end({});
  });

  it("given an abort while it waits, then its turn is free for the next one", async () => {
    const budget = new SharedBudget(path, "a");
    const permits = [granted(await budget.acquire()), granted(await budget.acquire())];
    const controller = new AbortController();
    const aborted = budget.acquire({ signal: controller.signal });
    assert.equal(await outcome(aborted), "waits");
    controller.abort();
    assert.deepEqual(await aborted, { denied: "aborted" });
    const next = budget.acquire();
    permits[0]?.end({});
    granted(await next);
  });

  it("given that the process with the budget ends, then nothing more is sent: neither by who waits nor later", async () => {
    const sim = await startSimulator();
    sim.zones.seed(ZONE, { scripts: 0 });
    try {
      const connection = { baseUrl: sim.url, token: sim.token, service: "page_guard" } as const;
      const client = createClient(connection, { env: { PAGE_GUARD_BUDGET: path } });
      await client.getSettings(ZONE);
      const waiting = new SharedBudget(path, "a");
      granted(await waiting.acquire());
      granted(await waiting.acquire());
      const third = waiting.acquire();
      assert.equal(await outcome(third), "waits");
      await server.close();
      assert.deepEqual(await third, { denied: "no-budget" });
      assert.deepEqual(await waiting.acquire(), { denied: "no-budget" });
      await assert.rejects(client.getSettings(ZONE), BudgetLostError);
      assert.equal(sim.journal.length, 1);
      const late = createClient(connection, { env: { PAGE_GUARD_BUDGET: join(folder, "none") } });
      await assert.rejects(late.getSettings(ZONE), /budget that PAGE_GUARD_BUDGET names cannot be reached/);
      assert.equal(sim.journal.length, 1);
    } finally {
      await sim.stop();
    }
  });

  it("given something that is no message, then only that connection ends", async () => {
    const socket = connect(path);
    socket.write("GET / HTTP/1.1\n");
    await once(socket, "close");
    granted(await new SharedBudget(path, "a").acquire()).end({});
    assert.ok(existsSync(path));
  });

  function startChild(socket: string, count: number) {
    const library = resolve(__dirname, "../../../provider/dist/api/rate-limit/shared-budget.js");
    const code = `const { SharedBudget } = require(${JSON.stringify(library)});
      const budget = new SharedBudget(${JSON.stringify(socket)}, "a");
      let first = true;
      for (let n = 0; n < ${count}; n += 1) budget.acquire().then((permit) => {
        if (first) permit.end({});
        first = false;
        console.log("granted");
      });`;
    const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    const lines = createInterface({ input: child.stdout });
    let seen = 0;
    lines.on("line", () => {
      seen += 1;
    });
    return {
      process: child,
      async granted(most: number): Promise<void> {
        while (seen < most) await once(lines, "line");
      },
    };
  }

  /** Lets time pass until it has settled. */
  async function advanceUntil(waiting: Promise<unknown>, ms: number): Promise<void> {
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    await clock.advance(ms);
    await round(path);
    await round(path);
    assert.ok(isOver, "it still waits");
  }

  /** `waits` when the server has answered others since. */
  async function outcome(asked: Promise<Permit | Denied>): Promise<string> {
    await round(path);
    return Promise.race([asked.then(() => "settled"), Promise.resolve("waits")]);
  }
});

let rounds = 0;

/** One exchange with the server, after which all that was sent before has been read. */
async function round(path: string): Promise<void> {
  rounds += 1;
  granted(await new SharedBudget(path, `round ${rounds}`).acquire()).end({});
}

function granted(result: Permit | Denied): Permit {
  assert.equal(result.denied, undefined);
  return result as Permit;
}
