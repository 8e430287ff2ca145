// Contains what the resource classes have in common: the base class, the options of `get`, and `isInstance`.
import * as pulumi from "@pulumi/pulumi";
import type { ConnectionArgs } from "../api/client-types";
import { formatDeclaredAs, typePrefix } from "../model/urn";
import type { DeclaredKind } from "./declare";
import { knowWhatIsRecorded } from "./internals/outputs";
import { readType } from "./internals/resource";
import { currentBatch } from "./program-batch";
import { refuseUnfitRun, tellOfRun } from "./program-run";
import { shortTraces } from "./short-traces";
import { makeShownUrn, makeUrn, rememberUrn } from "./urn";
import { userPosition } from "./user-position";

export { typePrefix };

/**
 * Returns a function that says whether a value is a resource of this type, from this or another copy of the package. Compares
 * only type names, because the objects in policy packs have nothing else to compare.
 */
export function makeInstanceTest<Class>(type: string): (value: unknown) => value is Class {
  return (value): value is Class => readType(value) === type;
}

/** Arguments that all resources have in common. */
export interface ConnectedArgs {
  /**
   * The connection to the service: base URL, token variable and service name. It is not part of the desired state, so changing it
   * changes no resource.
   */
  connection?: pulumi.Input<ConnectionArgs | undefined> | undefined;
}

/** Options of `get`: the usual options of resources, and the connection for the read. */
export type GetOptions = pulumi.CustomResourceOptions & Readonly<ConnectedArgs>;

/** Base class of all resources: it passes the provider to the engine and checks the inputs. */
export abstract class PageGuardResource extends pulumi.CustomResource {
  /** @internal so that users' compilers do not have to read the types of our schemas. */
  protected constructor(
    kind: DeclaredKind,
    name: string,
    /** A program in JavaScript can pass nothing at all, and a value from JSON can be null. */
    args: object | null | undefined,
    options: pulumi.CustomResourceOptions = {},
  ) {
    refuseUnfitRun();
    tellOfRun(formatDeclaredAs(kind.name, name));
    const type = `${typePrefix}${kind.name}`;
    const urn = makeUrn(type, name, options.parent);
    const batch = currentBatch();
    const place = { urn: makeShownUrn(type, name, options.parent), position: userPosition() };
    // Loads the checks when the first resource is declared.
    const { declare } = require("./declare") as typeof import("./declare");
    const registered = declare({ kind, name, urn, place, batch }, args ?? {}, options);
    const traceAsUsual = shortTraces();
    try {
      super(type, name, registered.props, registered.options);
    } finally {
      traceAsUsual();
    }
    knowWhatIsRecorded(this);
    rememberUrn(this, urn);
    batch.bind(this);
  }
}
