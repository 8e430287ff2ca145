import {
  type ApprovedContent,
  type ApprovedStep,
  type ApprovedZone,
  approvedFormat,
} from "../../lifecycle/approval/approved-file";
import type { DigestKey } from "../../lifecycle/approval/keyed-digest";
import { asApproved } from "../../lifecycle/approval/moved";
import { readZoneContents, type ZoneContents } from "../../lifecycle/approval/zone-contents";
import { kindOf } from "../../lifecycle/urn";
import { inTurn } from "../in-turn";
import { Progress } from "../progress";
import { Reader, type RecordedConnection } from "../reader";
import type { Session } from "../session";
import type { Plan, PlannedZone } from "./plan";

export interface Approving {
  readonly session: Session;
  /** What the config of the stack says of the connection: asked only where the environment does not tell. */
  readonly stackConfig: () => Promise<RecordedConnection>;
}

/** A plan with what its zones hold now. */
export interface Looked {
  /** All but the engine's plan. */
  readonly content: Omit<ApprovedContent, "plan">;
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
  const reader = new Reader({ session, flags: {}, progress });
  const config = plan.zones.length > 0 && needsConfig(session) ? await approving.stackConfig() : {};
  const readOne = async (zone: PlannedZone) => {
    const { zoneId, isClosed, connection } = zone;
    const before = approved.find((one) => one.zoneId === zoneId);
    const contents = await readZoneContents(reader.client({ ...config, ...known(connection) }), zoneId, {
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
      steps: plan.steps.map((step) => withUnseen(step, secrets)),
      secrets,
      findings: [...plan.findings],
      zones: zones.map(({ kept }) => kept),
      unknownZones: [...plan.unknownZones],
      kept: [...plan.kept],
    },
    zones: zones.map(({ contents }) => contents),
  };
}

/**
 * A secret input without a digest could not be compared: the provider process found something unknown in it, or was not told
 * that it is secret.
 */
function withUnseen(step: ApprovedStep, secrets: ApprovedContent["secrets"]): ApprovedStep {
  if (kindOf(step.type) === undefined) return step;
  const seen = new Set(secrets.filter(({ urn }) => urn === step.urn).map(({ property }) => property));
  const unseen = step.secret.filter((name) => !seen.has(name)).map((name) => [name]);
  return { ...step, unknown: [...step.unknown, ...unseen] };
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
