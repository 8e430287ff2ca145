import type { ConnectionArgs } from "../../api/client-types";
import type { Properties } from "../kind";

/** A call of the engine that may change a zone. */
export interface ChangeCall {
  readonly act: "create" | "update" | "delete";
  /** Name of the kind. */
  readonly kind: string;
  readonly zoneId: string;
  /** Empty for what is about to be created. */
  readonly id: string;
  /** Of the resource; empty for a deletion, and where a transform has dropped it. */
  readonly urn: string;
  /** As declared; of a deletion none. */
  readonly inputs: Properties;
  /** What the state has of it; of a creation nothing. */
  readonly recorded: Properties;
  readonly connection: ConnectionArgs | undefined;
}
