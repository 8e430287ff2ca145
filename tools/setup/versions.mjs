/** Lowest Pulumi CLI that is taken from PATH: the one of the lowest SDK that the package supports. */
export const lowestCli = "3.216.0";
/** The CLI that is fetched or built where the machine has none. */
export const pinnedCli = "3.259.0";
/** The language host for YAML that is built where the engine comes without one: the version in tools/engine/yaml/go.mod. */
export const pinnedYamlHost = "1.32.0";
/** Pulumi's SDK for Python that the tests install: of the CLI's release. */
export const pinnedPythonSdk = pinnedCli;
/** Lowest Node that the package's dependencies run on; the same as in `engines` of package.json. */
export const lowestNode = "20.18.1";

/** Whether a version of three numbers comes before another one. */
export function isOlder(version, than) {
  const left = version.split(".").map(Number);
  const right = than.split(".").map(Number);
  const at = left.findIndex((part, index) => part !== right[index]);
  return at >= 0 && left[at] < right[at];
}
