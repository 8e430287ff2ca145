import * as pulumi from "@pulumi/pulumi";
import { isConstruction } from "../functions/shared-run";

/**
 * Keeps the construction of a component of a package from being answered as done well before this resource is registered. The SDK
 * answers when nothing is under way any more, and a registration that fails is not: whether the failure or the good answer
 * comes first is then a matter of turns, and after the good one the engine deletes what was not registered.
 */
export function holdConstruction(resource: pulumi.Resource): void {
  if (!isConstruction()) return;
  // The URN of a resource that is given up stays open, and with it what is held here. The SDK answers with the failure.
  resource.urn.apply(pulumi.runtime.rpcKeepAlive());
}
