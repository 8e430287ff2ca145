// Without it: each resource and state has 2 kB of code that only its own version can read.
/**
 * The persisted form of a dynamic provider is text that the engine evaluates. This one is constant: state written
 * years ago loads today's code, and nothing of the program is captured in it.
 */
export function providerText(kind: string): string {
  return `exports.handler=()=>require("pulumi-page-guard/runtime").${kind}`;
}
