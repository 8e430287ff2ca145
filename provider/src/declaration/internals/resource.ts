// Reads the type and the parents of a resource from fields that the SDK does not document. Creates stand-ins to show messages on.
import * as pulumi from "@pulumi/pulumi";

export function readType(resource: unknown): string | undefined {
  const type: unknown = Reflect.get(Object(resource), "__pulumiType");
  return typeof type === "string" ? type : undefined;
}

/** Yields the resource and its parents, as far up as the SDK knows them. */
export function* walkParents(resource: pulumi.Resource | undefined): Generator<pulumi.Resource> {
  for (let at: unknown = resource; pulumi.Resource.isInstance(at); at = Reflect.get(at, "__parentResource")) {
    yield at;
  }
}

/** Returns a stand-in for a resource that does not exist yet, to show messages on: `pulumi.log` reads only the URN. */
export function referTo(urn: string): pulumi.Resource {
  return { urn: pulumi.output(urn) } as pulumi.Resource;
}
