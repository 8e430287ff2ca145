import { AsyncLocalStorage } from "node:async_hooks";

const resources = new AsyncLocalStorage<string>();

/** Works for a resource: what has to be told on the way by those who do not know it is told there. */
export function onResource<T>(urn: string, work: () => T): T {
  return resources.run(urn, work);
}

/** The URN of the resource that is worked for; empty where the engine does not tell it. */
export function currentResource(): string {
  return resources.getStore() ?? "";
}
