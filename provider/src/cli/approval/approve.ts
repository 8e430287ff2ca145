import {
  type ApprovedContent,
  type ApprovedZone,
  approvedFormat,
} from "../../lifecycle/approval/approved-file";
import type { DigestKey } from "../../lifecycle/approval/keyed-digest";
import { asApproved } from "../../lifecycle/approval/moved";
import { readZoneContents, type ZoneContents } from "../../lifecycle/approval/zone-contents";
import { inTurn } from "../in-turn";
import { Progress } from "../progress";
import { type ReadClient, Reader, type RecordedConnection } from "../reader";
import type { Session } from "../session";
import type { Plan, PlannedZone } from "./plan";

export interface Approving {
  readonly session: Session;
  /** What the config of the stack says of the connection: asked only where the environment does not tell. */
  readonly stackConfig: () => Promise<RecordedConnection>;
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
  const clientFor = await zoneClients(approving, plan.zones, progress);
  const readOne = async (zone: PlannedZone) => {
    const { zoneId, isClosed } = zone;
    const before = approved.find((one) => one.zoneId === zoneId);
    const contents = await readZoneContents(clientFor(zone), zoneId, {
      needed: new Set([...zone.needed, ...(before?.parts ?? [])]),
      wished: before ? [] : ["settings", "policies", "rules"],
    });
    return { contents, kept: await asApproved(contents, isClosed, key) };
  };
  const zones = await progress.during("Reading zones", () => inTurn(plan.zones, readOne));
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

/** Gives a client for each of the zones: over the connection that the program, or the config of its stack, names. */
export async function zoneClients(
  { session, stackConfig }: Approving,
  zones: readonly PlannedZone[],
  progress: Progress,
): Promise<(zone: PlannedZone) => ReadClient> {
  const reader = new Reader({ session, flags: {}, progress });
  const config = zones.length > 0 && needsConfig(session) ? await stackConfig() : {};
  return ({ connection }) => reader.client({ ...config, ...known(connection) });
}

function needsConfig({ env }: Session): boolean {
  return ["PAGE_GUARD_API_TOKEN", "PAGE_GUARD_BASE_URL"].some((name) => !env[name]?.trim());
}

function known({ baseUrl, tokenEnv, service }: RecordedConnection): RecordedConnection {
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(tokenEnv !== undefined && { tokenEnv }),
    ...(service !== undefined && { service }),
  };
}
