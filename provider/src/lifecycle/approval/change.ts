import type { ConnectionArgs } from "../../api/client-types";
import type { Properties } from "../kind";

/** A call of the engine that may change a zone. */
export interface Change {
  readonly act: "create" | "update" | "delete";
  /** Name of the kind. */
  readonly kind: string;
  readonly zoneId: string;
  /** Empty for what is about to be made. */
  readonly id: string;
  /** Empty where the engine does not tell it. */
  readonly urn: string;
  /** Of a deletion: what is recorded. */
  readonly inputs: Properties;
  readonly connection: ConnectionArgs | undefined;
}
