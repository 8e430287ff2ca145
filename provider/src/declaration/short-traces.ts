// Shortens the SDK's stack traces, because they slow down large programs (docs/decisions/0015-traces-of-the-sdk.md).
/** Maximum number of frames in a trace: only the frame that throws. Leaving this frame out would save hardly any time. */
const fewestFrames = 1;

/**
 * Keeps stack traces short until the returned function is called. For each input and output of a new resource, the SDK writes
 * four traces, with source maps applied, but reads them only under `PULUMI_DEBUG_PROMISE_LEAKS`.
 */
export function shortTraces(env: NodeJS.ProcessEnv = process.env): () => void {
  if (env["PULUMI_DEBUG_PROMISE_LEAKS"]) return () => undefined;
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = fewestFrames;
  return () => {
    Error.stackTraceLimit = usual;
  };
}
