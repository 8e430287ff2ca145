// Computes URNs before the engine returns them, for findings about a resource and for its input `__urn`.
import * as pulumi from "@pulumi/pulumi";
import { urnParts } from "../model/urn";
import { readType, walkParents } from "./internals/resource";

/** URNs of the declared resources of this package. The SDK knows a URN only after it has registered the resource. */
const declared = new WeakMap<pulumi.Resource, string | Promise<string>>();
const ofOthers = new WeakMap<pulumi.Resource, Promise<string>>();

/**
 * Returns the URN that the engine will give to a resource, as a plain value. If the URN came from an output of the parent, the
 * resource would depend on the parent. A resource that depends on a component waits for all the component's children, so this
 * resource would wait for itself.
 */
export function makeUrn(
  type: string,
  name: string,
  parent: pulumi.Resource | undefined,
): string | Promise<string> {
  if (parent === undefined) return childUrn(undefined, type, name);
  const ofParent = declared.get(parent) ?? urnOfOther(parent);
  return typeof ofParent === "string"
    ? childUrn(ofParent, type, name)
    : ofParent.then((urn) => childUrn(urn, type, name));
}

export function rememberUrn(resource: pulumi.Resource, urn: string | Promise<string>): void {
  declared.set(resource, urn);
}

/** Returns the URN of a parent that another package defines. Waiting delays nothing, because the SDK registers parents first. */
function urnOfOther(parent: pulumi.Resource): Promise<string> {
  let urn = ofOthers.get(parent);
  if (urn === undefined) {
    urn = new Promise((resolve) => parent.urn.apply(resolve));
    ofOthers.set(parent, urn);
  }
  return urn;
}

function childUrn(parent: string | undefined, type: string, name: string): string {
  const own = `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::`;
  const ancestors = parent === undefined ? stackType : urnParts(parent).types;
  return ancestors === stackType ? `${own}${type}::${name}` : `${own}${ancestors}$${type}::${name}`;
}

const stackType = "pulumi:pulumi:Stack";

/**
 * Returns the URN to show in messages. Messages cannot wait for the engine's URN, so this function builds the URN from the types
 * of the known ancestors. The URN is wrong if an ancestor is only a reference to a resource, because the types of its own
 * ancestors are not known.
 */
export function makeShownUrn(type: string, name: string, parent: pulumi.Resource | undefined): string {
  const types = [type];
  for (const ancestor of walkParents(parent)) {
    const of = readType(ancestor);
    if (of && of !== stackType) types.unshift(of);
  }
  return childUrn(undefined, types.join("$"), name);
}
