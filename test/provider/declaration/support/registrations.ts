import assert from "node:assert/strict";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import type { ReadResourceRequest, RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";
import { MockMonitor } from "@pulumi/pulumi/runtime/mocks";

/** Fields that a program sends to the engine for a resource that it declares or reads. */
export interface Registration {
  readonly type: string;
  readonly name: string;
  readonly urn: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Names of the inputs that are secret as a whole. */
  readonly secrets: readonly string[];
  readonly dependencies: readonly string[];
  readonly isProtected: boolean;
  /** Empty if the engine chooses the default provider. */
  readonly provider: string;
  /** Names of outputs. */
  readonly additionalSecrets: readonly string[];
  /** Names of hooks. */
  readonly beforeDelete: readonly string[];
  /** Input to URNs. */
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
}

const secretMark = "1b47061264138c4ac30d75fd1eb44270";

/**
 * Runs a program under mocks, where the SDK does everything that it does with an engine. Returns the registrations, sorted by
 * name. A resource that waits for itself is never registered, and so is missing.
 */
export async function recordedRegistrations(program: () => void): Promise<Registration[]> {
  const registrations: Registration[] = [];
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, inputs }) => ({
        id: `${name}-id`,
        state: { ...inputs, ...(type.endsWith("StackReference") && { outputs: { zone: "f".repeat(32) } }) },
      }),
      call: () => ({}),
    },
    "project",
    "stack",
  );
  const monitor = pulumi.runtime.getMonitor();
  assert.ok(monitor instanceof MockMonitor);
  Reflect.set(monitor, "newUrn", newUrn);
  // An engine supports hooks. The SDK's callback server, which tests replace, receives the calls.
  Reflect.set(monitor, "registerResourceHook", () => undefined);
  const register = monitor.registerResource.bind(monitor);
  Reflect.set(monitor, "registerResource", (request: RegisterResourceRequest, ...rest: [() => void]) => {
    registrations.push(registrationOf(request));
    return register(request, ...rest);
  });
  const read = monitor.readResource.bind(monitor);
  Reflect.set(monitor, "readResource", (request: ReadResourceRequest, ...rest: [() => void]) => {
    registrations.push(registrationOf(request));
    return read(request, ...rest);
  });
  program();
  // The program has ended when no registration has arrived for a while.
  for (let seen = -1, quiet = 0; quiet < 4; await aWhile()) {
    quiet = seen === registrations.length ? quiet + 1 : 0;
    seen = registrations.length;
  }
  return registrations.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** Waits for 20 ms and 25 turns: on a busy machine, time passes while the program hardly gets a turn. */
async function aWhile(): Promise<void> {
  await wait(20);
  for (let turn = 0; turn < 25; turn += 1) await nextTurn();
}

/** Builds a URN like the engine. The mocks' own function omits all ancestors but the parent. */
function newUrn(parent: string, type: string, name: string): string {
  const chain = parent === "" ? "" : `${parent.split("::")[2]}$`;
  return `urn:pulumi:stack::project::${chain}${type}::${name}`;
}

function registrationOf(request: RegisterResourceRequest | ReadResourceRequest): Registration {
  const isRead = "getProperties" in request;
  const inputs: Record<string, unknown> = Object(
    (isRead ? request.getProperties() : request.getObject())?.toJavaScript(),
  );
  const ofInputs = isRead ? [] : [...request.getPropertydependenciesMap().entries()];
  return {
    type: request.getType(),
    name: request.getName(),
    urn: newUrn(request.getParent(), request.getType(), request.getName()),
    inputs,
    secrets: Object.keys(inputs).filter((input) => isSecret(inputs[input])),
    dependencies: [...request.getDependenciesList()].sort(),
    isProtected: !isRead && request.getProtect() === true,
    provider: [
      request.getProvider(),
      request.getVersion(),
      isRead ? "" : request.getPlugindownloadurl(),
    ].join(""),
    additionalSecrets: request.getAdditionalsecretoutputsList(),
    beforeDelete: isRead ? [] : (request.getHooks()?.getBeforeDeleteList() ?? []),
    propertyDependencies: Object.fromEntries(
      ofInputs.map(([input, urns]) => [input, [...urns.getUrnsList()].sort()]),
    ),
  };
}

function isSecret(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.values(value).includes(secretMark);
}
