import { AsyncLocalStorage } from "node:async_hooks";

const resources = new AsyncLocalStorage<string>();

/** Works for a resource: messages of code that does not know the resource are shown on it. */
export function onResource<T>(urn: string, work: () => T): T {
  return resources.run(urn, work);
}

/** The URN of the resource that is worked for; empty where the engine does not tell it. */
export function currentResource(): string {
  return resources.getStore() ?? "";
}
