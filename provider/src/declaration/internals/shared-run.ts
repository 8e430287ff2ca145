// Without it: a refused inline program ends well, and the engine deletes what it did not declare.
import { AsyncLocalStorage } from "node:async_hooks";

/** The parts of the SDK's store for a run in a shared process that are used here. */
interface SharedRun {
  readonly settings?: { readonly monitor?: object };
  /** The server by which the engine calls hooks and transforms of the program; there when it has any. */
  readonly callbacks?: unknown;
  readonly logErrorCount?: number;
  readonly stackResource?: unknown;
}

/**
 * The run that the caller belongs to: of an inline program (of the SDK's Automation API), or the construction of a component
 * of a package for a program in another process. Undefined where the program is a process of its own. All copies of the SDK
 * share it.
 */
export function sharedRun(): SharedRun | undefined {
  const storage: unknown = Reflect.get(globalThis, "asyncLocalStorage");
  const run: unknown = storage instanceof AsyncLocalStorage ? storage.getStore() : undefined;
  return typeof run === "object" && run !== null ? run : undefined;
}

/** A component of a package is constructed for a program in another process, which has the stack. */
export function isConstruction(): boolean {
  const run = sharedRun();
  return run !== undefined && run.stackResource === undefined;
}

/**
 * Does what the run has to wait for. A process waits for its sockets; a run that shares its process would end, and the engine
 * would delete what is declared when the answer is there.
 */
export async function whileRunIsHeld<Result>(work: () => Promise<Result>): Promise<Result> {
  if (sharedRun() === undefined) return work();
  const { runtime } = require("@pulumi/pulumi") as typeof import("@pulumi/pulumi");
  const release = runtime.rpcKeepAlive();
  try {
    return await work();
  } finally {
    // When who waits has declared what it will, or its failure is known.
    setImmediate(release);
  }
}

type Signal = (request: unknown, done: (error: { readonly code: number } | null) => void) => unknown;

/** gRPC's status for a call that the engine doesn't know. The SDK then reports the end of the program by its result. */
const notKnown = { code: 12 };

const held = new WeakSet<object>();

/**
 * Keeps an inline program that fails from deleting what it has not come to. When its function has ended, the SDK first
 * tells the engine that nothing more will be declared, whereupon the engine deletes the rest, and only then looks for
 * uncaught errors: a refused declaration, a read that failed. (A program with a process of its own is checked
 * at first.) Only hooks and transforms need this early word, for they have to be there while the engine deletes.
 */
export function holdFailedRun(): void {
  const run = sharedRun();
  const monitor = run?.settings?.monitor;
  if (run === undefined || monitor === undefined || held.has(monitor)) return;
  const signal: unknown = Reflect.get(monitor, "signalAndWaitForShutdown");
  if (typeof signal !== "function") return;
  held.add(monitor);
  const signalWhenWell: Signal = (request, done) => {
    if (run.callbacks === undefined) return done(notKnown);
    // What is uncaught is reported in a turn of its own.
    return setImmediate(() => {
      if ((run.logErrorCount ?? 0) > 0) done(notKnown);
      else Reflect.apply(signal, monitor, [request, done]);
    });
  };
  Reflect.set(monitor, "signalAndWaitForShutdown", signalWhenWell);
}
