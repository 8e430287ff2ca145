/** Lowest version of a Pulumi CLI on PATH that the tools use: the version of the lowest SDK that the package supports. */
export const lowestCli = "3.216.0";
/** Version of the CLI that is downloaded or built if the machine has none. */
export const pinnedCli = "3.259.0";
/** Version of the YAML language host that is built if the engine comes without one: the same as in tools/engine/yaml/go.mod. */
export const pinnedYamlHost = "1.32.0";
/** Version of Pulumi's SDK for Python that the tests install: the release of the CLI. */
export const pinnedPythonSdk = pinnedCli;
/** Lowest version of Node that the package's dependencies run on; the same as in `engines` of package.json. */
export const lowestNode = "20.18.1";

/** Whether a version of three numbers comes before another one. */
export function isOlder(version, than) {
  const left = version.split(".").map(Number);
  const right = than.split(".").map(Number);
  const at = left.findIndex((part, index) => part !== right[index]);
  return at >= 0 && left[at] < right[at];
}
