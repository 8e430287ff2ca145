import type { ConnectionArgs, PageGuardClient, Service } from "../api/client-types";
import type { ReadConfig } from "../api/connection";

/**
 * One operation of the engine (a preview, an up, a refresh, a destroy): the engine starts one provider process for
 * it, so what is remembered here lives just as long.
 */
export interface Run {
  /** No request may be sent: `client` throws an `OfflineError`. */
  readonly isOffline: boolean;
  /** `PULUMI_SKIP_CHECKPOINTS`: the engine writes no state before the whole operation has ended. */
  readonly skipsCheckpoints: boolean;
  /** The stack's config, as the engine hands it over before anything else. */
  useConfig(config: ReadConfig): void;
  /** The client for a connection, shared by all resources that use the same one. */
  client(connection: ConnectionArgs | undefined): PageGuardClient;
  /** Which of the service's names a connection speaks to. */
  service(connection: ConnectionArgs | undefined): Service;
  /** A memory of this run, made on first use: a cache, or who owns what. */
  memory<T>(key: symbol, make: () => T): T;
  /** Shows a warning on the resource; on the stack where the engine does not tell the resource. */
  warn(urn: string, text: string): Promise<void>;
  progress(urn: string, text: string): Promise<void>;
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** 0 up to, not including, 1. */
  random(): number;
}
