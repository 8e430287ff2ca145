/** The frame that throws. Traces of no frame at all are hardly cheaper. */
const fewest = 1;

/**
 * Keeps stack traces short while the SDK makes a resource, until what is returned is called. The SDK writes four for each
 * input and output, with source maps applied, which is most of what a resource costs a program; they are read under
 * `PULUMI_DEBUG_PROMISE_LEAKS` alone. An error that ends it gets the frames that it lacks: those of who declares the resource.
 */
export function shortTraces(env: NodeJS.ProcessEnv = process.env): (error?: unknown) => void {
  if (env["PULUMI_DEBUG_PROMISE_LEAKS"]) return () => undefined;
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = fewest;
  return (error) => {
    Error.stackTraceLimit = usual;
    if (!(error instanceof Error)) return;
    const { stack = "" } = new Error();
    error.stack += stack.slice(stack.indexOf("\n"));
  };
}
