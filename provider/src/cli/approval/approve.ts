import {
  type ApprovedContent,
  type ApprovedZone,
  approvedFormat,
} from "../../lifecycle/approval/approved-file";
import type { DigestKey } from "../../lifecycle/approval/keyed-digest";
import { asApproved } from "../../lifecycle/approval/moved";
import { readZoneContents, type ZoneContents } from "../../lifecycle/approval/zone-contents";
import { forTerminal } from "../../reports/escape";
import { CommandError } from "../command-error";
import { inTurn } from "../in-turn";
import type { ConnectionFlags } from "../options";
import { type StackConfig, saysAll } from "../program-connection";
import { Progress } from "../progress";
import { type ReadClient, Reader } from "../reader";
import type { Session } from "../session";
import type { Plan, PlannedZone } from "./plan";

export interface Approving {
  readonly session: Session;
  /** What the config of the stack says of the connection: asked only where the environment does not tell. */
  readonly stackConfig: () => Promise<StackConfig>;
  /** Where the plan was read from a file: its name, and the flags that say how to reach the zones. */
  readonly file?: { readonly name: string; readonly flags: ConnectionFlags } | undefined;
}

/** A plan with what its zones hold now. */
export interface Looked {
  readonly content: ApprovedContent;
  /** In full, where the file may have digests only. */
  readonly zones: readonly ZoneContents[];
}

/**
 * Reads the zones of a plan and makes of both what can be approved. `approved`: what of each zone has to be readable
 * because it was approved.
 */
export async function look(
  approving: Approving,
  plan: Plan,
  secrets: ApprovedContent["secrets"],
  key: DigestKey,
  approved: readonly ApprovedZone[] = [],
): Promise<Looked> {
  const { session } = approving;
  const progress = new Progress(session);
  const { file } = approving;
  const reader = new Reader({ session, flags: file?.flags ?? {}, progress, file: file?.name });
  const needsConfig = plan.zones.length > 0 && file === undefined && !saysAll(session.env);
  const config = needsConfig ? await approving.stackConfig() : {};
  const readable = plan.zones.map((zone) => ({ zone, client: clientOf(reader, zone, config) }));
  const readOne = async ({ zone, client }: (typeof readable)[number]) => {
    const { zoneId, isClosed } = zone;
    const before = approved.find((one) => one.zoneId === zoneId);
    const contents = await readZoneContents(client, zoneId, {
      needed: new Set([...zone.needed, ...(before?.parts ?? [])]),
      wished: before ? [] : ["settings", "policies", "rules"],
    });
    return { contents, kept: await asApproved(contents, isClosed, key) };
  };
  const zones = await progress.during("Reading zones", () => inTurn(readable, readOne));
  return {
    content: {
      ...approvedFormat,
      madeAt: new Date(session.now()).toISOString(),
      project: plan.project,
      stack: plan.stack,
      salt: key.salt,
      steps: [...plan.steps],
      secrets,
      findings: [...plan.findings],
      zones: zones.map(({ kept }) => kept),
      unknownZones: [...plan.unknownZones],
    },
    zones: zones.map(({ contents }) => contents),
  };
}

/** A zone is read where it will be changed, or not at all. */
function clientOf(
  reader: Reader,
  { zoneId, connections, isConnectionHidden }: PlannedZone,
  config: StackConfig,
): ReadClient {
  if (isConnectionHidden) {
    throw new CommandError(
      `The connection of a resource in zone ${zoneId} is secret or not known yet, so the zone cannot be read where it will be changed. Write it in plain text: it holds no token.`,
    );
  }
  const urls = new Set(connections.map((argument) => reader.connection({ argument, config }).baseUrl));
  if (urls.size > 1) {
    throw new CommandError(
      `The resources of zone ${zoneId} name different base URLs: ${forTerminal([...urls].join(", "))}. It is read at one of them, so nothing can be approved. Give all of them the same connection.`,
    );
  }
  return reader.client({ argument: connections[0], config });
}
