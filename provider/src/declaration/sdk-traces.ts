/**
 * Makes the traces fit that the SDK has written while it makes a resource of a class of `baseFile`:
 *
 * - None of where each promise was made. There are four for each input and output, and writing them, with source maps
 *   applied, is most of what a resource costs a program. They are read under `PULUMI_DEBUG_PROMISE_LEAKS` alone.
 * - Where the resource is declared without our base class. The SDK passes over its own classes and the resource's, and
 *   takes what is next for the user's line.
 *
 * All others, as those of what fails, stay as they are. Where an SDK does otherwise nothing is left out. Returns what
 * ends it.
 */
export function fitTraces(baseFile: string, env: NodeJS.ProcessEnv = process.env): () => void {
  const usual = Error.prepareStackTrace;
  // Without a function of its own Node writes traces fast, and in a way that no function can repeat.
  if (usual === undefined) return () => undefined;
  const isAskedForLeaks = Boolean(env["PULUMI_DEBUG_PROMISE_LEAKS"]);
  Error.prepareStackTrace = (error, frames) => {
    const asks = frames[0]?.getFunctionName();
    if (asks === "debuggablePromise" && !isAskedForLeaks) return "";
    if (asks !== "callsites") return usual(error, frames);
    return usual(
      error,
      frames.filter((frame) => frame.getFileName() !== baseFile),
    );
  };
  return () => {
    Error.prepareStackTrace = usual;
  };
}
