import { CodedError } from "../../lifecycle/coded-error";
import { declaredName } from "../../lifecycle/declared-as";
import { upgradeState } from "../../lifecycle/state";
import { anyKindOf, urnParts } from "../../lifecycle/urn";
import { forTerminal } from "../../reports/escape";
import { zoneIdIn } from "../../zone/zone-id";
import { CommandError } from "../command-error";
import { argumentOf, type ProgramConnection, stackConfigOf } from "../program-connection";
import type { StateResource } from "./read-state";
import { isClosed, opened, withSecrets } from "./secrets";

export type RecordedKind =
  | "PageGuardSettings"
  | "CspPolicy"
  | "CspPolicySet"
  | "ManagedWafEntrypoint"
  | "WafMigrationStep";

/** A resource of this package in a state. */
export interface RecordedResource {
  readonly urn: string;
  /** In the program. */
  readonly name: string;
  readonly kind: RecordedKind;
  readonly id: string;
  /** Lower case. */
  readonly zoneId: string;
  /** Values may be `Secret`s, at any depth. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  /** The line of the program, where the state tells. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export const recordedKinds: readonly string[] = [
  "PageGuardSettings",
  "CspPolicy",
  "CspPolicySet",
  "ManagedWafEntrypoint",
  "WafMigrationStep",
] satisfies RecordedKind[];

/**
 * What the state declares: without what it only reads, and what waits for its deletion.
 *
 * @throws CommandError
 */
export function recordedResources(resources: readonly StateResource[]): readonly RecordedResource[] {
  return resources.flatMap((resource) => {
    const { type, name } = urnParts(resource.urn);
    const kind = anyKindOf(type) ?? "";
    const { id = "" } = resource;
    if (!isKind(kind) || resource.delete || resource.external || id === "") return [];
    const zoneId = zoneIdIn(id);
    if (zoneId === undefined) {
      throw new CommandError(
        `The state has ${forTerminal(name)} with the id ${forTerminal(id)}, which names no zone. It was edited or damaged: put an earlier checkpoint back with \`pulumi stack import\`.`,
        "state-unreadable",
      );
    }
    return [
      {
        urn: resource.urn,
        name: declaredName(kind, name),
        kind,
        id,
        zoneId,
        inputs: fields(resource.inputs),
        outputs: outputsOf(resource, kind),
        ...positionOf(resource),
      },
    ];
  });
}

/** How the program reaches a zone. The engine keeps the config of the stack, or the provider's arguments, with the provider. */
export function recordedConnection(
  zoneId: string,
  recorded: readonly RecordedResource[],
  resources: readonly StateResource[],
): ProgramConnection {
  const own = recorded.find((resource) => resource.zoneId === zoneId);
  const reference = resources.find(({ urn }) => urn === own?.urn)?.provider;
  const provider =
    resources.find(({ urn, id }) => `${urn}::${id}` === reference) ??
    resources.find(({ urn }) => urnParts(urn).type === dynamicProvider);
  const argument = recorded.find(
    (resource) => resource.zoneId === zoneId && resource.inputs["connection"] !== undefined,
  );
  const given = argument?.inputs["connection"];
  if (argument && isClosed(given)) {
    throw new CommandError(
      `The connection of ${forTerminal(argument.name)} is a secret that cannot be opened here, so nobody can say where its zone is. Use --stack NAME with the passphrase or key service of the stack.`,
    );
  }
  const config = configOf(provider);
  return { argument: argumentOf(opened(given)), config: stackConfigOf(config) };
}

/** The plugin's provider has its arguments under their own names. */
function configOf(provider: StateResource | undefined): Readonly<Record<string, unknown>> {
  const inputs = Object.entries(Object(opened(fields(provider?.inputs))));
  const isDynamic = provider === undefined || urnParts(provider.urn).type === dynamicProvider;
  return Object.fromEntries(inputs.map(([name, value]) => [isDynamic ? name : `page-guard:${name}`, value]));
}

const dynamicProvider = "pulumi:providers:pulumi-nodejs";

/** In the form of today: what a newer version has written is refused, as in an update. */
function outputsOf({ urn, outputs }: StateResource, kind: string): Readonly<Record<string, unknown>> {
  try {
    return upgradeState(fields(outputs), kind);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    throw new CommandError(`${forTerminal(urnParts(urn).name)}: ${error.message}`, error.code);
  }
}

function isKind(kind: string): kind is RecordedKind {
  return recordedKinds.includes(kind);
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  const known = withSecrets(value);
  return typeof known === "object" && known !== null ? { ...known } : {};
}

/** The first frame of the program's own: those before it are of this package and of the SDK. */
function positionOf({ stackTrace = [], sourcePosition }: StateResource): {
  file?: string;
  line?: number;
  column?: number;
} {
  for (const position of [...stackTrace.map((frame) => frame.sourcePosition), sourcePosition]) {
    const [, file, line, column] = /^project:\/\/\/(.+)#(\d+)(?:,(\d+))?$/.exec(position ?? "") ?? [];
    if (file === undefined || file.includes("node_modules/") || file.startsWith("..")) continue;
    return { file, line: Number(line), ...(column !== undefined && { column: Number(column) }) };
  }
  return {};
}
