import type * as pulumi from "@pulumi/pulumi";

/** Where the SDK keeps the transformations of a resource: its own, those of its ancestors and those of the stack. */
const kept = "__transformations";

/** Arguments and options with which a resource is registered. */
export interface Registered {
  readonly props: object;
  readonly options: pulumi.CustomResourceOptions;
}

/**
 * Gives `finish` the last word on what a resource is registered with, after the transformations of the resource itself, of
 * its ancestors and of the stack. So what is judged are the arguments that count, and what the resource needs besides is
 * lost in none of them.
 *
 * The SDK has no such place: it puts a resource's own first and those of the stack last. But it walks along a list that it
 * has put into the resource, and the first of them can add one at its end.
 */
export class LastTransformation {
  private readonly last: pulumi.ResourceTransformation;
  private readonly first: pulumi.ResourceTransformation;

  constructor(finish: (props: object, options: pulumi.CustomResourceOptions) => Registered) {
    this.last = ({ props, opts: { transformations: _, ...opts } }) => {
      const finished = finish(Object(props), opts);
      return { props: finished.props, opts: finished.options };
    };
    this.first = (declared) => {
      const all: unknown = Reflect.get(declared.resource, kept);
      // An SDK without such a list: then at least nothing is missing.
      if (!Array.isArray(all)) return this.last(declared);
      all.push(this.last);
      return undefined;
    };
  }

  /** The options for the SDK. */
  within(options: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions {
    return { ...options, transformations: [this.first, ...(options.transformations ?? [])] };
  }

  /** What children inherit are the program's alone. */
  end(resource: pulumi.Resource): void {
    const all: unknown = Reflect.get(resource, kept);
    if (!Array.isArray(all)) return;
    Reflect.set(
      resource,
      kept,
      all.filter((one) => one !== this.first && one !== this.last),
    );
  }
}
