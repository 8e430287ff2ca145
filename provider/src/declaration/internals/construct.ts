// Creates the component `WafMigration` for programs in other languages.
import type { ServiceError } from "@grpc/grpc-js";
import type * as messages from "@pulumi/pulumi/proto/provider_pb";
import type { RegisterResourceResponse } from "@pulumi/pulumi/proto/resource_pb";
import {
  fromStruct,
  loadRegistrations,
  type Registrations,
  type StructValues,
  toStruct,
} from "./provider-library";

/** A component with a single child, which does all the work. */
export interface ServedComponent {
  readonly childType: string;
  childName(name: string): string;
  childInputs(inputs: StructValues): StructValues;
  /** Whether component and child are protected from deletion. `isAsked`: whether the program asks for protection. */
  isProtected(inputs: StructValues, isAsked: boolean): boolean;
  /** Returns the outputs of the component. `child`: outputs of the child; in a preview, only those that are known. */
  outputs(inputs: StructValues, child: StructValues, isPreview: boolean): StructValues;
}

/**
 * Registers a component and its child with the engine. Values stay in their wire format, so that secrets stay secret and unknown
 * values stay unknown. The SDK's own `construct` is not used, because it wraps the inputs in `Output` objects.
 */
export async function construct(
  component: ServedComponent,
  request: messages.ConstructRequest,
  version: string,
): Promise<messages.ConstructResponse> {
  const library = loadRegistrations();
  const monitor = new library.ResourceMonitorClient(
    request.getMonitorendpoint(),
    library.grpc.credentials.createInsecure(),
    { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 },
  );
  try {
    const inputs = fromStruct(request.getInputs());
    const isProtected = component.isProtected(inputs, request.getProtect() ?? false);
    const parent = await register(monitor, registerComponent(library, request).setProtect(isProtected));
    const child = registerChild(library, request, component.childInputs(inputs))
      .setType(component.childType)
      .setName(component.childName(request.getName()))
      .setParent(parent.getUrn())
      .setProtect(isProtected)
      .setVersion(version);
    const made = await register(monitor, child);
    const outputs = component.outputs(inputs, fromStruct(made.getObject()), request.getDryrun());
    const state = toStruct(library, outputs);
    const ended = new library.RegisterResourceOutputsRequest().setUrn(parent.getUrn()).setOutputs(state);
    await callMonitor((done) => monitor.registerResourceOutputs(ended, done));
    const response = new library.ConstructResponse().setUrn(parent.getUrn()).setState(state);
    for (const name of Object.keys(outputs)) {
      const dependencies = new library.ConstructResponse.PropertyDependencies();
      response.getStatedependenciesMap().set(name, dependencies.setUrnsList([made.getUrn()]));
    }
    return response;
  } finally {
    monitor.close();
  }
}

type Registration = InstanceType<Registrations["RegisterResourceRequest"]>;

function registerComponent(library: Registrations, request: messages.ConstructRequest): Registration {
  const component = new library.RegisterResourceRequest()
    .setType(request.getType())
    .setName(request.getName())
    .setParent(request.getParent())
    .setObject(toStruct(library, {}))
    .setDependenciesList(request.getDependenciesList())
    .setAliasesList(request.getAliasesList())
    .setAliasspecs(true)
    .setAcceptsecrets(true);
  // The engine passes these two options on to the child of a component, so `registerChild` does not set them.
  component.setDeletedwith(request.getDeletedwith());
  if (request.hasRetainondelete()) component.setRetainondelete(request.getRetainondelete() ?? false);
  for (const [name, provider] of request.getProvidersMap().entries())
    component.getProvidersMap().set(name, provider);
  return component;
}

function registerChild(
  library: Registrations,
  request: messages.ConstructRequest,
  inputs: StructValues,
): Registration {
  const child = new library.RegisterResourceRequest()
    .setCustom(true)
    .setObject(toStruct(library, inputs))
    .setDependenciesList(request.getDependenciesList())
    .setIgnorechangesList(request.getIgnorechangesList())
    .setAliasspecs(true)
    .setSupportspartialvalues(true)
    .setAcceptsecrets(true);
  const provider = request.getProvidersMap().get(request.getType().split(":", 1)[0] ?? "");
  if (provider !== undefined) child.setProvider(provider);
  for (const [name, dependencies] of request.getInputdependenciesMap().entries()) {
    const urns = new library.RegisterResourceRequest.PropertyDependencies();
    child.getPropertydependenciesMap().set(name, urns.setUrnsList(dependencies.getUrnsList()));
  }
  return child;
}

function register(
  monitor: InstanceType<Registrations["ResourceMonitorClient"]>,
  request: Registration,
): Promise<RegisterResourceResponse> {
  return callMonitor((done) => monitor.registerResource(request, done));
}

function callMonitor<Response>(
  ask: (done: (error: ServiceError | null, response: Response) => void) => unknown,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    ask((error, response) => (error ? reject(error) : resolve(response)));
  });
}
