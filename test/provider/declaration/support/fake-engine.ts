import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";

// The SDK's copies of gRPC and of the server that runs inline programs.
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

/** Severities of messages in the engine's protocol. */
export const levels: { readonly [Name in "INFO" | "WARNING" | "ERROR"]: number } = severities;

/** Messages of a program to the engine. */
export interface ProgramRun {
  /** Names of the registered resources, without components and the stack. */
  readonly registered: readonly string[];
  /** Whether the program reported that it is complete. The engine then deletes resources that were not declared. */
  readonly isTold: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** URNs of its messages, without the stack. */
  readonly urns: readonly string[];
  /** Error of the run; empty after a success. */
  readonly outcome: string;
}

interface Logged {
  getUrn(): string;
  getSeverity(): number;
  getMessage(): string;
}

type Answer = (error: null, answer: unknown) => void;

/** Runs a program like the SDK's Automation API, with an engine that accepts every resource and creates none. */
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

/** Runs a JavaScript program in its own process, like the CLI. The outcome is everything that it printed. */
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

/** Returns the source of a package's provider with one component, `shop`, whose constructor runs `construct`. */
const packageSource = (construct: string) => `
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
 * Constructs components of a package in its own process, as the engine does for programs in other processes: one for each zone
 * id, all at once. The outcome contains the error of each that failed. The rest is what the engine had received by then.
 */
export async function runPackaged(
  folder: string,
  construct: string,
  zoneIds: readonly string[],
): Promise<ProgramRun> {
  const engine = await startEngine("dev", 20);
  const file = join(folder, "packaged.js");
  writeFileSync(file, packageSource(construct));
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

/** Returns the refused properties of an error as the engine shows them. */
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
  /** Registrations, also of components. */
  readonly requests: readonly RegisterResourceRequest[];
  seen(): Omit<ProgramRun, "outcome">;
  stop(): void;
}

/** Starts an engine. `delayMs`: how long it takes to receive a message. */
export async function startEngine(stack: string, delayMs = 0): Promise<FakeEngine> {
  const requests: RegisterResourceRequest[] = [];
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
    registerResource: ({ request }: { request: RegisterResourceRequest }, answer: Answer) => {
      requests.push(request);
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
    requests,
    seen: () => ({
      registered: requests.flatMap((one) => (one.getCustom() ? [one.getName()] : [])).sort(),
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
