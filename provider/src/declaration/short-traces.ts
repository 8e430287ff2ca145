// Without it: a program of many resources takes up to three times as long (docs/decisions/0015-traces-of-the-sdk.md).
/** The frame that throws. Traces of no frame at all are hardly cheaper. */
const fewest = 1;

/**
 * Keeps stack traces short while the SDK makes a resource, until the returned function is called: the SDK writes four for
 * each input and output, with source maps applied, and reads them under `PULUMI_DEBUG_PROMISE_LEAKS` alone.
 */
export function shortTraces(env: NodeJS.ProcessEnv = process.env): () => void {
  if (env["PULUMI_DEBUG_PROMISE_LEAKS"]) return () => undefined;
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = fewest;
  return () => {
    Error.stackTraceLimit = usual;
  };
}
