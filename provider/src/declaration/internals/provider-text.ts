// Replaces the code that the SDK would write into each resource and its state: 2 kB that fit only one version of this package.
/**
 * Returns the code that a state contains for its dynamic provider. Evaluating this code loads the provider. It is constant, so a
 * state that was written years ago loads the current provider, and contains no code of the program.
 */
export function providerText(kind: string): string {
  return `exports.handler=()=>require("pulumi-page-guard/runtime").${kind}`;
}
