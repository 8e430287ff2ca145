// Without it: findings are shown on the stack, and an inherited provider starts a second process.
import * as pulumi from "@pulumi/pulumi";

/** Whether a value is a resource of this type, by the type's name alone: policy packs ask with an object that has nothing else. */
export function isOfType(value: unknown, type: string): boolean {
  return typeOf(value) === type;
}

/** The type of a resource, of any package. */
export function typeOf(resource: unknown): string | undefined {
  const type: unknown = Reflect.get(Object(resource), "__pulumiType");
  return typeof type === "string" ? type : undefined;
}

/** The resource and its parents, as far up as the SDK knows them. */
export function* lineOf(resource: pulumi.Resource | undefined): Generator<pulumi.Resource> {
  for (let at: unknown = resource; pulumi.Resource.isInstance(at); at = Reflect.get(at, "__parentResource")) {
    yield at;
  }
}

/** Stands for a resource that doesn't exist yet, in messages: `pulumi.log` reads only the URN. */
export function resourceAt(urn: string): pulumi.Resource {
  return { urn: pulumi.output(urn) } as pulumi.Resource;
}
