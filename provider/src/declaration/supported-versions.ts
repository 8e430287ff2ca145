// Checks the versions of Node and the SDK, so that a run with an older version stops with a clear error.
/** The oldest versions that this package works with, as in its `engines` and `peerDependencies`. */
export const lowest = {
  node: "20.18.1",
  /**
   * The first version in which the engine receives the inputs that a dynamic provider's `read` returns. Without these inputs, a
   * refresh would not notice that a zone has changed.
   */
  sdk: "3.216.0",
} as const;

/** Returns a message that says what to do if a version is too old; undefined if both versions are supported. */
export function versionProblem(node: string, sdk: string): string | undefined {
  if (isOlder(node, lowest.node)) {
    return `pulumi-page-guard needs Node ${lowest.node} or newer, but this program runs on Node ${node}. Install a current LTS release of Node and run the command again. Nothing was changed.`;
  }
  if (isOlder(sdk, lowest.sdk)) {
    return `pulumi-page-guard needs @pulumi/pulumi ${lowest.sdk} or newer, but this program has ${sdk}, which does not notice changes made outside of Pulumi. Run \`npm install @pulumi/pulumi@latest\` and run the command again. Nothing was changed.`;
  }
  return undefined;
}

/** Whether a version is older than another, by its three numbers. A suffix (`-nightly`, `-alpha.x`) is ignored. */
function isOlder(version: string, than: string): boolean {
  const [numbers = "0"] = /\d+\.\d+\.\d+/.exec(version) ?? [];
  return numbers.localeCompare(than, "en", { numeric: true }) < 0;
}
