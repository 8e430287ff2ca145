// Asks the SDK about the run: whether it is a unit test, whether hooks work, and whether a config value is secret.
import * as pulumi from "@pulumi/pulumi";
import { MockMonitor } from "@pulumi/pulumi/runtime/mocks";

/** Whether the program runs in a unit test under `pulumi.runtime.setMocks`, where nothing is real. */
export function isUnderMocks(): boolean {
  return pulumi.runtime.getMonitor() instanceof MockMonitor;
}

/** Whether the engine can call hooks of the program. The SDK's mocks cannot: a unit test with a hook would wait forever. */
export function takesHooks(): boolean {
  const monitor = pulumi.runtime.getMonitor();
  return !isUnderMocks() || typeof Reflect.get(Object(monitor), "registerResourceHook") === "function";
}

/** Whether a config value is a secret. Undefined if the SDK has no `isConfigSecret`, a function that the SDK's types omit. */
export function isConfigSecret(key: string): boolean | undefined {
  const isSecret: unknown = Reflect.get(pulumi.runtime, "isConfigSecret");
  return typeof isSecret === "function" ? isSecret(key) === true : undefined;
}
