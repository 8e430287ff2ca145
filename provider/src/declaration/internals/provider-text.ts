// Replaces the text that the SDK would write into each resource and its state: 2 kB of code that fits one version of this package.
/**
 * Returns the text that a state contains for its dynamic provider; evaluating it loads the provider. The text is constant, so a
 * state that was written years ago loads today's code, and contains no code of the program.
 */
export function providerText(kind: string): string {
  return `exports.handler=()=>require("pulumi-page-guard/runtime").${kind}`;
}
