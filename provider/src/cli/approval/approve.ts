import {
  type ApprovedContent,
  type ApprovedStep,
  type ApprovedZone,
  approvedFormat,
} from "../../lifecycle/approval/approved-file";
import { type DigestKey, secretDigest } from "../../lifecycle/approval/keyed-digest";
import { asApproved } from "../../lifecycle/approval/moved";
import { readZoneContents, type ZoneContents } from "../../lifecycle/approval/zone-contents";
import { containsUnknown } from "../../lifecycle/unknown";
import { kindOf } from "../../lifecycle/urn";
import { inTurn } from "../in-turn";
import { Progress } from "../progress";
import { Reader, type RecordedConnection } from "../reader";
import type { Session } from "../session";
import type { EnginePlan } from "./engine-plan";
import type { Notes } from "./notes";
import type { Plan, PlannedZone } from "./plan";

export interface Approving {
  readonly session: Session;
  /** What the config of the stack says of the connection: asked only where the environment does not tell. */
  readonly stackConfig: () => Promise<RecordedConnection>;
}

/** What a preview has written besides its events. */
export interface Evidence {
  /** Undefined: nothing is known of secret inputs. */
  readonly notes: Notes | undefined;
  readonly enginePlan: EnginePlan;
  readonly key: DigestKey;
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
  { notes, enginePlan, key }: Evidence,
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
  const { steps, secrets } = await closedInputs(plan.steps, notes?.secrets() ?? [], enginePlan, key);
  const zones = await progress.during("Reading zones", () => inTurn(plan.zones, readOne));
  return {
    content: {
      ...approvedFormat,
      madeAt: new Date(session.now()).toISOString(),
      project: plan.project,
      stack: plan.stack,
      salt: key.salt,
      steps,
      secrets,
      findings: [...plan.findings],
      zones: zones.map(({ kept }) => kept),
      unknownZones: [...plan.unknownZones],
      kept: [...plan.kept],
      plan: enginePlan.text,
    },
    zones: zones.map(({ contents }) => contents),
  };
}

type Secrets = ApprovedContent["secrets"];

/**
 * Each closed input with a digest: of the provider process or, where only the engine's events hide a text, made of the plan.
 * What has neither could not be compared, and counts as unknown.
 */
async function closedInputs(
  steps: readonly ApprovedStep[],
  noted: Secrets,
  enginePlan: EnginePlan,
  key: DigestKey,
): Promise<{ readonly steps: ApprovedStep[]; readonly secrets: Secrets }> {
  const secrets = [...noted];
  const seen = new Set(noted.map(({ urn, property }) => `${urn}#${property}`));
  const closed = steps.map(async (step): Promise<ApprovedStep> => {
    const { urn, type } = step;
    if (kindOf(type) === undefined) return step;
    const unseen: string[][] = [];
    for (const property of step.secret.filter((name) => !seen.has(`${urn}#${name}`))) {
      const value = enginePlan.inputOf(urn, property);
      if (value === undefined || containsUnknown(value)) unseen.push([property]);
      else secrets.push({ urn, property, digest: await secretDigest(key, `${urn}#${property}`, value) });
    }
    return { ...step, unknown: [...step.unknown, ...unseen] };
  });
  return { steps: await Promise.all(closed), secrets };
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
