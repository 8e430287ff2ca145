// Replaces the code that the SDK would write into each resource and its state: 2 kB that fit only one version of this package.
/**
 * Returns the code that a state contains for its dynamic provider. Evaluating this code loads the provider. The code never
 * changes, so even a state from years ago loads the current provider. No state contains code of the program.
 */
export function providerText(kind: string): string {
  return `exports.handler=()=>require("pulumi-page-guard/runtime").${kind}`;
}
