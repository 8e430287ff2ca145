// Without it: an SDK or Node that is too old fails by an error about something else.
/** Lowest Node that the package's dependencies run on; the same as in `engines`. */
export const lowestNode = "20.18.1";

/**
 * Lowest `@pulumi/pulumi`; the same as in `peerDependencies`. The first whose dynamic providers hand the inputs that
 * `read` returns to the engine: without them a refresh would call a changed zone unchanged.
 */
export const lowestSdk = "3.216.0";

/** What to do about versions that are too old; undefined when they are fine. */
export function versionProblem(node: string, sdk: string): string | undefined {
  if (isOlder(node, lowestNode)) {
    return `pulumi-page-guard needs Node ${lowestNode} or newer, and this program runs on Node ${node}. Install a current LTS release of Node and run the command again. Nothing was changed.`;
  }
  if (isOlder(sdk, lowestSdk)) {
    return `pulumi-page-guard needs @pulumi/pulumi ${lowestSdk} or newer, and this program has ${sdk}, which does not notice what others change in a zone. Run \`npm install @pulumi/pulumi@latest\` and run the command again. Nothing was changed.`;
  }
  return undefined;
}

/** Compares the three numbers; what follows them (`-nightly`, `-alpha.x`) is taken for the release itself. */
function isOlder(version: string, than: string): boolean {
  const left = numbers(version);
  const right = numbers(than);
  const at = left.findIndex((part, index) => part !== right[index]);
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0);
}

function numbers(version: string): number[] {
  return (/\d+\.\d+\.\d+/.exec(version)?.[0] ?? "0.0.0").split(".").map(Number);
}
