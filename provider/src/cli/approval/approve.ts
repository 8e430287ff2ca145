import {
  type ApprovedContent,
  type ApprovedStep,
  type ApprovedZone,
  approvedFormat,
} from "../../lifecycle/approval/approved-file";
import { type DigestKey, secretDigest } from "../../lifecycle/approval/keyed-digest";
import { asApproved } from "../../lifecycle/approval/moved";
import { readZoneContents, type ZoneContents } from "../../lifecycle/approval/zone-contents";
import { allInFlight } from "../../lifecycle/in-flight";
import { containsUnknown } from "../../lifecycle/unknown";
import { kindOf } from "../../lifecycle/urn";
import { forTerminal } from "../../reports/escape";
import { CommandError } from "../command-error";
import type { ConnectionFlags } from "../options";
import { type StackConfig, saysAll } from "../program-connection";
import { Progress } from "../progress";
import { type ReadClient, Reader } from "../reader";
import type { Session } from "../session";
import { zonesAtOnce } from "../zones";
import type { EnginePlan } from "./engine-plan";
import type { Notes } from "./notes";
import type { Plan, PlannedZone } from "./plan";

export interface Approving {
  readonly session: Session;
  /** What the config of the stack says of the connection: asked only where the environment does not tell. */
  readonly stackConfig: () => Promise<StackConfig>;
  /** Where the plan was read from a file: its name, and the flags that say how to reach the zones. */
  readonly file?: { readonly name: string; readonly flags: ConnectionFlags } | undefined;
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
  const clientFor = await zoneClients(approving, plan.zones, progress);
  // All of them first: nothing is sent where one is refused.
  const readable = plan.zones.map((zone) => ({ zone, client: clientFor(zone) }));
  const readOne = async ({ zone, client }: (typeof readable)[number]) => {
    const { zoneId, isClosed } = zone;
    const before = approved.find((one) => one.zoneId === zoneId);
    const contents = await readZoneContents(client, zoneId, {
      needed: new Set([...zone.needed, ...(before?.parts ?? [])]),
      wished: before ? [] : ["settings", "policies", "rules"],
    });
    return { contents, kept: await asApproved(contents, isClosed, key) };
  };
  const { steps, secrets } = await closedInputs(plan.steps, notes?.secrets() ?? [], enginePlan, key);
  const zones = await progress.during("Reading zones", () => allInFlight(zonesAtOnce, readable, readOne));
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

/** Gives a client for each of the zones. */
export async function zoneClients(
  { session, file, stackConfig }: Approving,
  zones: readonly PlannedZone[],
  progress: Progress,
): Promise<(zone: PlannedZone) => ReadClient> {
  const reader = new Reader({ session, flags: file?.flags ?? {}, progress, file: file?.name });
  const needsConfig = zones.length > 0 && file === undefined && !saysAll(session.env);
  const config = needsConfig ? await stackConfig() : {};
  return (zone) => clientOf(reader, zone, config);
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
