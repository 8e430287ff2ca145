// Computes URNs before the engine returns them, for findings about a resource and for its input `__urn`.
import * as pulumi from "@pulumi/pulumi";
import { urnParts } from "../model/urn";
import { readType, walkParents } from "./internals/resource";

/** URNs of resources. Ours are computed, because the SDK knows a URN only after it has registered the resource. */
const urns = new WeakMap<pulumi.Resource, string | Promise<string>>();

/**
 * Returns the URN that the engine will give to a resource, as a string or a promise, not as an output. With an output of its
 * parent, the resource would depend on the parent. A resource that depends on a component waits for all the component's
 * children, so this resource would wait for itself.
 */
export function makeUrn(
  type: string,
  name: string,
  parent: pulumi.Resource | undefined,
): string | Promise<string> {
  if (parent === undefined) return childUrn(undefined, type, name);
  // Waiting for a parent that another package defines delays nothing, because the SDK registers parents first.
  const ofParent = urns.get(parent) ?? new Promise<string>((resolve) => parent.urn.apply(resolve));
  urns.set(parent, ofParent);
  return typeof ofParent === "string"
    ? childUrn(ofParent, type, name)
    : ofParent.then((urn) => childUrn(urn, type, name));
}

export function rememberUrn(resource: pulumi.Resource, urn: string | Promise<string>): void {
  urns.set(resource, urn);
}

function childUrn(parent: string | undefined, type: string, name: string): string {
  const own = `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::`;
  const ancestors = parent === undefined ? stackType : urnParts(parent).types;
  return ancestors === stackType ? `${own}${type}::${name}` : `${own}${ancestors}$${type}::${name}`;
}

const stackType = "pulumi:pulumi:Stack";

/**
 * Returns the URN to show in messages. Messages cannot wait for the engine's URN, so this function builds it from the types of
 * the known ancestors. The result is wrong if an ancestor is only a reference to a resource, whose own ancestors are not known.
 */
export function makeShownUrn(type: string, name: string, parent: pulumi.Resource | undefined): string {
  const types = [type];
  for (const ancestor of walkParents(parent)) {
    const of = readType(ancestor);
    if (of && of !== stackType) types.unshift(of);
  }
  return childUrn(undefined, types.join("$"), name);
}
