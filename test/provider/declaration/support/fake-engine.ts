import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

// The SDK's own copies: of its transport, and of what it runs inline programs with.
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const grpc = sdk("@grpc/grpc-js");
const { ResourceMonitorService } = sdk("./proto/resource_grpc_pb");
const resources = sdk("./proto/resource_pb");
const { EngineService } = sdk("./proto/engine_grpc_pb");
const { LogSeverity: severities, SetRootResourceResponse } = sdk("./proto/engine_pb");
const { Empty } = sdk("google-protobuf/google/protobuf/empty_pb.js");
const { Struct } = sdk("google-protobuf/google/protobuf/struct_pb.js");
const { ResourceProviderClient } = sdk("./proto/provider_grpc_pb");
const providers = sdk("./proto/provider_pb");
const { Status } = sdk("./proto/status_pb");
const { InputPropertiesError } = sdk("./proto/errors_pb");
const { LanguageServer } = sdk("./automation/server");

/** Severities of messages, as the engine names them. */
export const levels: { readonly [Name in "INFO" | "WARNING" | "ERROR"]: number } = severities;

/** What an engine gets to know of a run of a program. */
export interface ProgramRun {
  /** Names of the resources that were registered, but for components and the stack. */
  readonly registered: readonly string[];
  /** It was told, before the run had ended, that nothing more is declared: it deletes what was not. */
  readonly isTold: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** What its messages were shown on, but for the stack. */
  readonly urns: readonly string[];
  /** What the run has ended with; empty when all was well. */
  readonly outcome: string;
}

interface Registered {
  getType(): string;
  getName(): string;
  getCustom(): boolean;
  getObject(): unknown;
}

interface Logged {
  getUrn(): string;
  getSeverity(): number;
  getMessage(): string;
}

type Answer = (error: null, answer: unknown) => void;

/** Runs a program as the SDK's Automation API does, against an engine that takes everything and makes nothing. */
export async function runInline(program: () => Promise<unknown>, stack = "dev"): Promise<ProgramRun> {
  const engine = await startEngine(stack);
  try {
    const outcome = await new Promise<string>((ended) =>
      new LanguageServer(program).run(
        { request: requestFor(stack, engine.address) },
        (error: Error | undefined) => ended(error?.message ?? ""),
      ),
    );
    return { ...engine.seen(), outcome };
  } finally {
    engine.stop();
  }
}

/** Runs a program in JavaScript as the CLI does, in a process of its own. Its outcome is all that it has printed. */
export async function runAlone(
  folder: string,
  text: string,
): Promise<ProgramRun & { readonly code: number }> {
  const engine = await startEngine("dev");
  const file = join(folder, "program.js");
  writeFileSync(file, text);
  const run = ["--project=shop", "--stack=dev", "--parallel=8", `--pwd=${folder}`];
  const addresses = [`--monitor=${engine.address}`, `--engine=${engine.address}`];
  try {
    const child = spawn(process.execPath, [sdk.resolve("./cmd/run"), ...addresses, ...run, file]);
    let outcome = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (outcome += String(part)));
    const [code] = await once(child, "close");
    return { ...engine.seen(), outcome, code };
  } finally {
    engine.stop();
  }
}

/** Text of the provider of a package with one component, `shop`, whose construction is `construct`. */
const packaged = (construct: string) => `
const pulumi = require("@pulumi/pulumi");
const { CspPolicy, getScripts, PageGuardSettings } = require("pulumi-page-guard");
const provider = {
  version: "1.0.0",
  async construct(name, type, { zoneId }) {
    const shop = new pulumi.ComponentResource(type, name);
    ${construct}
    return { urn: shop.urn, state: {} };
  },
};
pulumi.provider.main(provider, process.argv.slice(2));
`;

/**
 * Constructs components of a package, in the process of its own that the engine starts for one, for programs in other processes: at
 * once one for each of `zoneIds`. The outcome has the text of each that failed; all the rest is what the engine knew just then.
 */
export async function runPackaged(
  folder: string,
  construct: string,
  zoneIds: readonly string[],
): Promise<ProgramRun> {
  const engine = await startEngine("dev", 20);
  const file = join(folder, "packaged.js");
  writeFileSync(file, packaged(construct));
  const child = spawn(process.execPath, [file, engine.address], { stdio: ["ignore", "pipe", "ignore"] });
  const [port] = await once(child.stdout, "data");
  const client = new ResourceProviderClient(
    `127.0.0.1:${String(port).trim()}`,
    grpc.credentials.createInsecure(),
  );
  try {
    const failures = await Promise.all(
      zoneIds.map(
        (zoneId) =>
          new Promise<string>((ended) =>
            client.construct(constructionOf(engine.address, zoneId), (error?: CallError) =>
              ended(error ? [error.details, ...refusedProperties(error)].join("\n") : ""),
            ),
          ),
      ),
    );
    return { ...engine.seen(), outcome: failures.filter((failure) => failure !== "").join("\n") };
  } finally {
    client.close();
    child.kill();
    engine.stop();
  }
}

interface CallError {
  readonly details: string;
  readonly metadata: { get(key: string): readonly unknown[] };
}

/** As the engine shows them. */
function refusedProperties({ metadata }: CallError): string[] {
  return metadata
    .get("grpc-status-details-bin")
    .flatMap((status) => Status.deserializeBinary(status).getDetailsList())
    .flatMap(
      (details) => InputPropertiesError.deserializeBinary(details.getValue_asU8()).toObject().errorsList,
    )
    .map(({ propertyPath, reason }) => `- property ${propertyPath} has a problem: ${reason}`);
}

function constructionOf(address: string, zoneId: string): object {
  const request = new providers.ConstructRequest();
  request.setProject("shop");
  request.setStack("dev");
  request.setMonitorendpoint(address);
  request.setParallel(8);
  request.setType("shopkit:index:Shop");
  request.setName("shop");
  request.setInputs(Struct.fromJavaScript({ zoneId }));
  return request;
}

interface FakeEngine {
  readonly address: string;
  /** All messages: severity, URN and text. */
  readonly messages: readonly (readonly [severity: number, urn: string, text: string])[];
  seen(): Omit<ProgramRun, "outcome">;
  stop(): void;
}

/** `delayMs`: how long what is said to it takes. */
export async function startEngine(stack: string, delayMs = 0): Promise<FakeEngine> {
  const registered: string[] = [];
  const messages: [severity: number, urn: string, text: string][] = [];
  const textsOf = (severity: number) => messages.flatMap(([of, , text]) => (of === severity ? [text] : []));
  let isTold = false;
  const engine = new grpc.Server();
  engine.addService(ResourceMonitorService, {
    supportsFeature: (_call: unknown, answer: Answer) => {
      const response = new resources.SupportsFeatureResponse();
      response.setHassupport(true);
      answer(null, response);
    },
    registerResource: ({ request }: { request: Registered }, answer: Answer) => {
      if (request.getCustom()) registered.push(request.getName());
      const response = new resources.RegisterResourceResponse();
      response.setUrn(`urn:pulumi:${stack}::shop::${request.getType()}::${request.getName()}`);
      if (request.getCustom()) response.setId(`${request.getName()}-id`);
      response.setObject(request.getObject());
      answer(null, response);
    },
    registerResourceOutputs: (_call: unknown, answer: Answer) => answer(null, new Empty()),
    signalAndWaitForShutdown: (_call: unknown, answer: Answer) => {
      isTold = true;
      answer(null, new Empty());
    },
  });
  engine.addService(EngineService, {
    log: async ({ request }: { request: Logged }, answer: Answer) => {
      if (delayMs > 0) await wait(delayMs);
      messages.push([request.getSeverity(), request.getUrn(), request.getMessage()]);
      answer(null, new Empty());
    },
    setRootResource: (_call: unknown, answer: Answer) => answer(null, new SetRootResourceResponse()),
  });
  const bind = promisify(engine.bindAsync.bind(engine));
  const address = `127.0.0.1:${await bind("127.0.0.1:0", grpc.ServerCredentials.createInsecure())}`;
  return {
    address,
    messages,
    seen: () => ({
      registered: registered.sort(),
      isTold,
      errors: textsOf(levels.ERROR),
      warnings: textsOf(levels.WARNING),
      urns: messages.flatMap(([, urn]) => (urn === "" ? [] : [urn])),
    }),
    stop: () => engine.forceShutdown(),
  };
}

function requestFor(stack: string, address: string): object {
  return {
    getArgsList: () => [address],
    getProject: () => "shop",
    getStack: () => stack,
    getParallel: () => 8,
    getMonitorAddress: () => address,
    getDryrun: () => false,
    getOrganization: () => "organization",
    getConfigMap: () => new Map(),
    getConfigsecretkeysList: () => [],
  };
}
