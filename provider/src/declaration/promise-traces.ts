/**
 * Leaves out a note that the SDK makes of each promise of a resource: where it was made, with source maps applied. There
 * are four for each input and output, and writing them is most of what a resource costs a program. They are read under
 * `PULUMI_DEBUG_PROMISE_LEAKS` alone. All other traces stay as they are: the line of a resource, and of what fails.
 *
 * Where an SDK makes its notes elsewhere, they are made as ever. Returns what ends it.
 */
export function leaveOutPromiseTraces(env: NodeJS.ProcessEnv = process.env): () => void {
  const usual = Error.prepareStackTrace;
  // Without a function of its own Node writes traces fast, and in a way that no function can repeat.
  if (usual === undefined || env["PULUMI_DEBUG_PROMISE_LEAKS"]) return () => undefined;
  Error.prepareStackTrace = (error, frames) =>
    frames[0]?.getFunctionName() === noteMaker ? "" : usual(error, frames);
  return () => {
    Error.prepareStackTrace = usual;
  };
}

const noteMaker = "debuggablePromise";
