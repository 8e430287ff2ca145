// Without this file, an update that the user cancels in its half-minute pause would still finish a migration, irrevocably.

const controller = new AbortController();

let isWatching = false;

/** Aborts the signal of this process. Called when the engine cancels the operation. */
export function cancelOperation(): void {
  controller.abort();
}

/** Returns a signal that aborts when the engine cancels the operation of this process, for example after Ctrl-C. */
export function watchCancellation(): AbortSignal {
  if (!isWatching) watchDynamicProvider();
  isWatching = true;
  return controller.signal;
}

/**
 * Notices the engine's call `Cancel` in the SDK's program for dynamic providers, which answers the call without informing the
 * provider. The plugin has a server of its own, which calls `cancelOperation`.
 */
function watchDynamicProvider(): void {
  const program = require.main;
  const file = program?.filename.replaceAll("\\", "/");
  if (!program || !file?.endsWith("/cmd/dynamic-provider/index.js")) return;
  const { Server } = program.require("@grpc/grpc-js") as typeof import("@grpc/grpc-js");
  const findHandler: unknown = Reflect.get(Server.prototype, "_retrieveHandler");
  if (typeof findHandler !== "function") return;
  Reflect.set(Server.prototype, "_retrieveHandler", function (this: unknown, path: unknown): unknown {
    if (path === "/pulumirpc.ResourceProvider/Cancel") cancelOperation();
    return Reflect.apply(findHandler, this, [path]);
  });
}
