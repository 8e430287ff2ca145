// Without this module: unit tests under `setMocks` wait forever.
import * as pulumi from "@pulumi/pulumi";
import { MockMonitor } from "@pulumi/pulumi/runtime/mocks";

/** Whether the program runs under `pulumi.runtime.setMocks`: in a unit test, where nothing is real. */
export function isUnderMocks(): boolean {
  return pulumi.runtime.getMonitor() instanceof MockMonitor;
}

/** Whether the engine can be asked to call the program's hooks. The SDK's mocks can not, and a unit test would wait for ever. */
export function takesHooks(): boolean {
  const monitor = pulumi.runtime.getMonitor();
  return !isUnderMocks() || typeof Reflect.get(Object(monitor), "registerResourceHook") === "function";
}

/** Whether a value of the stack config is a secret, by a function that the SDK's types leave out; undefined without it. */
export function isConfigSecret(key: string): boolean | undefined {
  const isSecret: unknown = Reflect.get(pulumi.runtime, "isConfigSecret");
  return typeof isSecret === "function" ? isSecret(key) === true : undefined;
}
