import {
  CodedError,
  isDefaultProvider,
  parseKind,
  parseZoneId,
  toObjectType,
  upgradeState,
  urnParts,
} from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import { type ProgramConnection, parseArgument, parseStackConfig } from "../shared/program-connection";
import { asRecord } from "../shared/values";
import type { StateResource } from "./read-state";
import { isClosed, openSecrets, withSecrets } from "./secrets";

/** Type of object that a resource has in its zone. */
export type ObjectKind = NonNullable<ReturnType<typeof toObjectType>>;

/** A resource of this package in a state. Values of `inputs` and `outputs` can be `Secret`s, at any depth. */
export type RecordedResource = ReturnType<typeof recordedResources>[number];

/**
 * Returns the resources of this package that the stack manages. Leaves out resources that the stack only reads, or that it has
 * yet to delete. @throws CommandError
 */
export function recordedResources(resources: readonly StateResource[]) {
  return resources.flatMap((resource) => {
    const { urn, id = "" } = resource;
    const { type, declaredName: name } = urnParts(urn);
    const kind = parseKind(type) ?? "";
    const object: ObjectKind | undefined = toObjectType(kind);
    if (object === undefined || resource.delete || resource.external || id === "") return [];
    const zoneId = parseZoneId(id.split("/", 1)[0]);
    if (zoneId === undefined) {
      throw new CommandError(
        `Failed to read the state: the id ${forTerminal(id)} of ${forTerminal(name)} contains no zone id. The state was edited or damaged; restore an earlier checkpoint with \`pulumi stack import\`.`,
        "state-unreadable",
      );
    }
    const [inputs, outputs] = [fields(resource.inputs), readOutputs(resource, kind)];
    return [{ urn, name, kind, object, id, zoneId, inputs, outputs, position: findPosition(resource) }];
  });
}

/** Returns the connection of the program to a zone. The inputs of the provider in the state contain the config of the stack. */
export function recordedConnection(
  zoneId: string,
  recorded: readonly RecordedResource[],
  resources: readonly StateResource[],
): ProgramConnection {
  const here = recorded.filter((resource) => resource.zoneId === zoneId);
  const reference = resources.find(({ urn }) => urn === here[0]?.urn)?.provider;
  const provider =
    resources.find(({ urn, id }) => `${urn}::${id}` === reference) ??
    resources.find(({ urn }) => urnParts(urn).type === dynamicProvider);
  const argument = here.find(({ inputs }) => inputs["connection"] !== undefined);
  const given = argument?.inputs["connection"];
  if (argument && isClosed(given)) {
    throw new CommandError(
      `Failed to read the connection of ${forTerminal(argument.name)}: it is a secret that cannot be decrypted here. Use --stack NAME with the passphrase or key service of the stack.`,
    );
  }
  const config = parseStackConfig(readProviderConfig(provider));
  // The arguments of a declared provider win over the environment.
  const isDeclared = provider !== undefined && !isDefaultProvider(provider.urn);
  const reached = isDeclared ? { baseUrl: config.baseUrl, service: config.service } : {};
  return { argument: parseArgument({ ...reached, ...asRecord(openSecrets(given)) }), config };
}

/** Returns the inputs of a provider by config key. Adds the prefix `page-guard:`, which the plugin's provider leaves out. */
function readProviderConfig(provider: StateResource | undefined): Readonly<Record<string, unknown>> {
  const inputs = Object.entries(Object(openSecrets(fields(provider?.inputs))));
  const isDynamic = provider === undefined || urnParts(provider.urn).type === dynamicProvider;
  return Object.fromEntries(inputs.map(([name, value]) => [isDynamic ? name : `page-guard:${name}`, value]));
}

const dynamicProvider = "pulumi:providers:pulumi-nodejs";

/** Returns the outputs in the current format. Like an update, refuses a state that a newer version wrote. */
function readOutputs({ urn, outputs }: StateResource, kind: string): Readonly<Record<string, unknown>> {
  try {
    return upgradeState(fields(outputs), kind);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    throw new CommandError(`${forTerminal(urnParts(urn).name)}: ${error.message}`, error.code);
  }
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return asRecord(withSecrets(value));
}

/** Returns the position of the first stack frame in the program. Earlier frames belong to this package and the SDK. */
function findPosition({ stackTrace = [], sourcePosition }: StateResource) {
  for (const position of [...stackTrace.map((frame) => frame.sourcePosition), sourcePosition]) {
    const [, file, line, column] = /^project:\/\/\/(.+)#(\d+)(?:,(\d+))?$/.exec(position ?? "") ?? [];
    if (file === undefined || file.includes("node_modules/") || file.startsWith("..")) continue;
    return { file, line: Number(line), ...(column !== undefined && { column: Number(column) }) };
  }
  return undefined;
}
