// Shows the provider's warnings and progress on the resource that they are about.
import type { LogRequest as EngineLogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { message } from "../../text/message";
import { requireOfSdk } from "./provider-library";

interface EngineConnection {
  log(request: EngineLogRequest, done: (error: Error | null) => void): void;
}

type LogSeverity = "debug" | "info" | "warning" | "error";

let connection: EngineConnection | undefined;

/**
 * Shows a message on a resource. The methods of a dynamic provider have no other way to do this: their output appears on the
 * stack, without a severity. The engine passes its address to the provider process as the first argument.
 */
export async function logToEngine(severity: LogSeverity, urn: string, text: string): Promise<void> {
  // A lost message must not make the operation fail.
  await sendToEngine(severity, urn, text);
}

/** Whether the engine no longer answers, because its process was killed. False if this process has no engine. */
export async function isEngineGone(): Promise<boolean> {
  return (await sendToEngine("debug", "", "Checking whether the engine still runs.")) === "lost";
}

function sendToEngine(
  severity: LogSeverity,
  urn: string,
  text: string,
): Promise<"sent" | "lost" | undefined> {
  const address = process.argv[2];
  if (!address || !/^[^\s]+:\d+$/.test(address)) return Promise.resolve(undefined);
  const { LogRequest, LogSeverity: levels } =
    require("@pulumi/pulumi/proto/engine_pb") as typeof import("@pulumi/pulumi/proto/engine_pb");
  connection ??= connect(address);
  const engine = connection;
  const request = new LogRequest();
  request.setSeverity(levels[severity.toUpperCase() as Uppercase<LogSeverity>]);
  request.setMessage(message(text));
  request.setUrn(urn);
  return new Promise((resolve) => engine.log(request, (error) => resolve(error ? "lost" : "sent")));
}

function connect(address: string): EngineConnection {
  const sdk = requireOfSdk();
  const { EngineClient } = sdk("./proto/engine_grpc_pb");
  const { credentials } = sdk("@grpc/grpc-js");
  return new EngineClient(address, credentials.createInsecure());
}
