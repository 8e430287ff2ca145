// Serves the plugin to the engine. The SDK's own server ignores the configuration of the provider and prints each refusal twice.
import { createServer, type Socket } from "node:net";
import type { ServerUnaryCall, ServiceError, sendUnaryData } from "@grpc/grpc-js";
import type { dynamic } from "@pulumi/pulumi";
import type * as messages from "@pulumi/pulumi/proto/provider_pb";
import { readMessage } from "../../text/data";
import { cancelOperation } from "./cancellation";
import { construct, type ServedComponent } from "./construct";
import { fromStruct, type Library, loadLibrary, type StructValues, toStruct } from "./provider-library";

export interface CheckedValues {
  readonly inputs: StructValues;
  readonly failures: readonly { readonly property: string; readonly reason: string }[];
}

/** Calls that a provider answers, with all values in their wire format. */
export interface ProviderCalls {
  readonly version: string;
  schema(): string;
  /** Checks the provider's arguments and returns the arguments that the engine keeps. */
  checkConfig(urn: string, args: StructValues): CheckedValues;
  configure(urn: string, args: StructValues): Promise<void>;
  /** @throws for a URN of another provider's resource. */
  resource(urn: string): ServedResource;
  invoke(token: string, args: StructValues): Promise<StructValues>;
  readonly components: Readonly<Record<string, ServedComponent>>;
}

export interface ServedResource {
  check(urn: string, olds: StructValues, news: StructValues): Promise<CheckedValues>;
  /** Compares state and program. If the result has no `changes`, the engine compares the inputs. */
  diff(urn: string, id: string, olds: StructValues, news: StructValues): Promise<dynamic.DiffResult>;
  create(urn: string, inputs: StructValues): Promise<{ readonly id: string; readonly state: StructValues }>;
  /** Returns an empty id if the object is gone. `inputs`: undefined in an import, for which no inputs are known. */
  read(
    urn: string,
    id: string,
    state: StructValues,
    inputs: StructValues | undefined,
  ): Promise<{ readonly id: string; readonly state: StructValues; readonly inputs: StructValues }>;
  update(urn: string, id: string, olds: StructValues, news: StructValues): Promise<StructValues>;
  delete(urn: string, id: string, state: StructValues): Promise<void>;
}

/** An error after part of the work was done. The engine records that part, and updates the resource next time. */
interface PartialResult {
  readonly id: string;
  readonly properties: StructValues;
  readonly reasons: readonly string[];
}

/**
 * Serves a provider to the engine on a free port, until `close()`. `refusal`: returns the reason to refuse the calls of a
 * connection; undefined if the calls are accepted.
 */
export async function serveProvider(
  calls: ProviderCalls,
  refusal: (socket: Socket) => string | undefined,
): Promise<{ port: number; close(): void }> {
  const library = loadLibrary();
  const { Server, ServerCredentials } = library.grpc;
  const unlimited = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };
  const server = new Server(unlimited);
  if (typeof server.createConnectionInjector !== "function")
    throw new Error("The plugin needs @grpc/grpc-js 1.12 or newer. Run npm update @grpc/grpc-js.");
  const connections = server.createConnectionInjector(ServerCredentials.createInsecure());
  /** Reasons to refuse connections, by gRPC peer name; undefined for a connection that is accepted. */
  const verdicts = new Map<string, string | undefined>();
  const listener = createServer((socket) => {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    verdicts.set(peer, refusal(socket));
    socket.once("close", () => verdicts.delete(peer));
    connections.injectConnection(socket);
  });
  const judgePeer = (peer: string) => (verdicts.has(peer) ? verdicts.get(peer) : "The connection is closed.");
  server.addService(library.ResourceProviderService, makeAnswers(calls, library, judgePeer));
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const close = () => {
    listener.close();
    server.forceShutdown();
  };
  const address = listener.address();
  return { port: typeof address === "object" ? (address?.port ?? 0) : 0, close };
}

/** Returns a function that turns `work` into a call handler. The handler refuses a call if `verdictOn` returns a reason. */
function makeAnswerer(library: Library, verdictOn: (peer: string) => string | undefined) {
  return <Request, Response>(work: (request: Request) => Response | Promise<Response>) =>
    async (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>) => {
      const refused = verdictOn(call.getPeer());
      if (refused !== undefined)
        return callback({ code: library.grpc.status.PERMISSION_DENIED, details: refused });
      let response: Response;
      try {
        response = await work(call.request);
      } catch (error) {
        return callback(toFailure(error, library));
      }
      return callback(null, response);
    };
}

function toCheckResponse(library: Library, { inputs, failures }: CheckedValues) {
  const list = failures.map(({ property, reason }) =>
    new library.CheckFailure().setProperty(property).setReason(reason),
  );
  return new library.CheckResponse().setInputs(toStruct(library, inputs)).setFailuresList(list);
}

function makeAnswers(
  calls: ProviderCalls,
  library: Library,
  verdictOn: (peer: string) => string | undefined,
) {
  const { DIFF_NONE, DIFF_SOME, DIFF_UNKNOWN } = library.DiffResponse.DiffChanges;
  const answer = makeAnswerer(library, verdictOn);
  const checked = (values: CheckedValues) => toCheckResponse(library, values);
  return {
    // `handshake` is left out: if the provider answered it, the engine would assume that the provider can create in a preview.
    attach: answer(() => new library.Empty()),
    getPluginInfo: answer(() => new library.PluginInfo().setVersion(calls.version)),
    getSchema: answer(() => new library.GetSchemaResponse().setSchema(calls.schema())),
    checkConfig: answer((request: messages.CheckRequest) =>
      checked(calls.checkConfig(request.getUrn(), fromStruct(request.getNews()))),
    ),
    // A change of the provider's arguments (`apiToken`, `baseUrl`, `service`) changes no resource.
    diffConfig: answer(() => new library.DiffResponse().setChanges(DIFF_NONE)),
    configure: answer(async (request: messages.ConfigureRequest) => {
      await calls.configure(request.getUrn() ?? "", fromStruct(request.getArgs()));
      return new library.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(false);
    }),
    check: answer(async (request: messages.CheckRequest) => {
      const urn = request.getUrn();
      const olds = fromStruct(request.getOlds());
      return checked(await calls.resource(urn).check(urn, olds, fromStruct(request.getNews())));
    }),
    diff: answer(async (request: messages.DiffRequest) => {
      const [urn, id] = [request.getUrn(), request.getId()];
      const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
      const { changes, replaces = [] } = await calls.resource(urn).diff(urn, id, olds, news);
      return new library.DiffResponse()
        .setChanges(changes === undefined ? DIFF_UNKNOWN : changes ? DIFF_SOME : DIFF_NONE)
        .setReplacesList(replaces);
    }),
    create: answer(async (request: messages.CreateRequest) => {
      // The engine does not call `create` in a preview. Even if it did, nothing must be created.
      if (request.getPreview()) return new library.CreateResponse().setProperties(request.getProperties());
      const urn = request.getUrn();
      const { id, state } = await calls.resource(urn).create(urn, fromStruct(request.getProperties()));
      return new library.CreateResponse().setId(id).setProperties(toStruct(library, state));
    }),
    read: answer(async (request: messages.ReadRequest) => {
      const urn = request.getUrn();
      const before = fromStruct(request.getProperties());
      const known = request.hasInputs() ? fromStruct(request.getInputs()) : undefined;
      const found = await calls.resource(urn).read(urn, request.getId(), before, known);
      return new library.ReadResponse()
        .setId(found.id)
        .setProperties(toStruct(library, found.state))
        .setInputs(toStruct(library, found.inputs));
    }),
    update: answer(async (request: messages.UpdateRequest) => {
      if (request.getPreview()) return new library.UpdateResponse().setProperties(request.getNews());
      const [urn, id] = [request.getUrn(), request.getId()];
      const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
      const state = await calls.resource(urn).update(urn, id, olds, news);
      return new library.UpdateResponse().setProperties(toStruct(library, state));
    }),
    delete: answer(async (request: messages.DeleteRequest) => {
      const [urn, id] = [request.getUrn(), request.getId()];
      await calls.resource(urn).delete(urn, id, fromStruct(request.getProperties()));
      return new library.Empty();
    }),
    invoke: answer(async (request: messages.InvokeRequest) => {
      const result = await calls.invoke(request.getTok(), fromStruct(request.getArgs()));
      return new library.InvokeResponse().setReturn(toStruct(library, result));
    }),
    construct: answer((request: messages.ConstructRequest) => {
      const component = calls.components[request.getType()];
      if (!component) throw new Error(`There is no component of the type ${request.getType()}.`);
      return construct(component, request, calls.version);
    }),
    // Lets calls in progress end, so that the engine records their results: the service may carry out a request that was cut off.
    cancel: answer(() => {
      cancelOperation();
      return new library.Empty();
    }),
  };
}

function toFailure(error: unknown, library: Library): Partial<ServiceError> {
  const { grpc, Any, ErrorResourceInitFailed, Status } = library;
  const message = readMessage(error);
  const failure = { code: grpc.status.UNKNOWN, details: message };
  if (!isPartial(error)) return failure;
  const detail = new ErrorResourceInitFailed()
    .setId(error.id)
    .setProperties(toStruct(library, error.properties))
    .setReasonsList([...error.reasons]);
  const packed = new Any();
  packed.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new Status().setCode(failure.code).setMessage(message).setDetailsList([packed]);
  const metadata = new grpc.Metadata();
  // Go's implementation of gRPC looks for the details under this name.
  metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  return { ...failure, metadata };
}

function isPartial(error: unknown): error is Error & PartialResult {
  return error instanceof Error && "id" in error && "properties" in error && "reasons" in error;
}
