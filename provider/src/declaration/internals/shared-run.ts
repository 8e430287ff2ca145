// Without this file, the engine would treat a failed inline program as complete, and delete all resources that the program had
// not declared before it failed.
import { AsyncLocalStorage } from "node:async_hooks";

/** The store that the SDK keeps for a run in a shared process, with only the properties that this file uses. */
interface SharedRun {
  readonly settings?: { readonly monitor?: object };
  /** Server through which the engine calls hooks and transforms of the program; absent if the program has none. */
  readonly callbacks?: unknown;
  readonly logErrorCount?: number;
  readonly stackResource?: unknown;
}

/**
 * Returns the run of the caller: an inline program (of the Automation API), or the construction of a packaged component for a
 * program in another process. Undefined if the program has a process of its own. All copies of the SDK see the same run.
 */
export function sharedRun(): SharedRun | undefined {
  const storage: unknown = Reflect.get(globalThis, "asyncLocalStorage");
  const run: unknown = storage instanceof AsyncLocalStorage ? storage.getStore() : undefined;
  return typeof run === "object" && run !== null ? run : undefined;
}

/** Whether a packaged component is being constructed. Such a run has no stack resource: the program in another process has it. */
export function isConstruction(): boolean {
  const run = sharedRun();
  return run !== undefined && run.stackResource === undefined;
}

/**
 * Runs `work`, and keeps the run alive until `work` is done. A run that shares a process does not wait for open sockets. So the
 * run could end during `work`, and the engine would delete every resource that the program only declares after `work`.
 */
export async function whileRunIsHeld<Result>(work: () => Promise<Result>): Promise<Result> {
  if (sharedRun() === undefined) return work();
  const { runtime } = require("@pulumi/pulumi") as typeof import("@pulumi/pulumi");
  const release = runtime.rpcKeepAlive();
  try {
    return await work();
  } finally {
    // Releases in a later turn of the event loop: by then the caller has declared its resources, or has failed.
    setImmediate(release);
  }
}

type Signal = (request: unknown, done: (error: { readonly code: number } | null) => void) => unknown;

/**
 * gRPC's status for a call that the server does not know. `signalAndWaitForShutdown` is the SDK's early signal that nothing more
 * will be declared. If the call returns this status, the SDK carries on, and the engine learns only from the program's result
 * that the program has ended.
 */
const notKnown = { code: 12 };

const patchedMonitors = new WeakSet<object>();

/**
 * Keeps the engine from deleting resources that a failed inline program did not get to declare. When the program's function
 * ends, the SDK first sends the early signal, and the engine deletes the resources that were not declared. Only then does the SDK
 * look for uncaught errors, such as a refused declaration. (For a program with a process of its own, the SDK looks for errors
 * first.) Only programs with hooks or transforms need the early signal: the call returns only when the engine has finished, so
 * the hooks and transforms still work while the engine deletes.
 */
export function holdFailedRun(): void {
  const run = sharedRun();
  const monitor = run?.settings?.monitor;
  if (run === undefined || monitor === undefined || patchedMonitors.has(monitor)) return;
  const signal: unknown = Reflect.get(monitor, "signalAndWaitForShutdown");
  if (typeof signal !== "function") return;
  patchedMonitors.add(monitor);
  const signalWhenWell: Signal = (request, done) => {
    if (run.callbacks === undefined) return done(notKnown);
    // An uncaught error is counted only in a later turn of the event loop.
    return setImmediate(() => {
      if ((run.logErrorCount ?? 0) > 0) done(notKnown);
      else Reflect.apply(signal, monitor, [request, done]);
    });
  };
  Reflect.set(monitor, "signalAndWaitForShutdown", signalWhenWell);
}
