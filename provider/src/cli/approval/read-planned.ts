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
import type { PlannedZone, PreviewPlan } from "./plan";
import { stackConnection } from "./stack-connection";

export interface Approving {
  readonly session: Session;
  /** Arguments of the `pulumi config` that reads the stack's connection, if the environment lacks it. */
  readonly config: readonly string[];
  /** If the events come from a file: its name, and the flags that say how to reach the zones. */
  readonly file?: { readonly name: string; readonly flags: ConnectionFlags } | undefined;
}

/** What a preview wrote besides its events. */
interface Evidence {
  /** Undefined if nothing is known of secret inputs. */
  readonly notes: Notes | undefined;
  readonly enginePlan: EnginePlan;
  readonly key: DigestKey;
}

/**
 * Reads the zones of a plan. What was `approved` of a zone has to be readable. `zones`: what they hold now, in full, where
 * the approval may have digests only.
 */
export async function readPlanned(
  approving: Approving,
  plan: PreviewPlan,
  { notes, enginePlan, key }: Evidence,
  approved: readonly ApprovedZone[] = [],
): Promise<{ readonly content: ApprovedContent; readonly zones: readonly ZoneContents[] }> {
  const { session } = approving;
  const shared = plan.zones.find(({ isShared }) => isShared);
  if (shared) {
    throw new CommandError(
      `Failed to compare zone ${shared.zoneId}: several providers change it in this update. Each is a process of its own that would refuse what another one has just changed. Let one provider have the zone, or change it in several updates.`,
    );
  }
  const { steps, secrets } = await closedInputs(plan.steps, notes?.secrets() ?? [], enginePlan, key);
  const zones = await readZones(approving, plan.zones, async (client, { zoneId, needed, isClosed }) => {
    const before = approved.find((one) => one.zoneId === zoneId);
    const contents = await readZoneContents(client, zoneId, {
      needed: new Set([...needed, ...(before?.parts ?? [])]),
      wished: before ? [] : ["settings", "policies", "rules"],
    });
    return { contents, kept: await asApproved(contents, isClosed, key) };
  });
  return {
    content: {
      ...approvedFormat,
      madeAt: new Date(session.now()).toISOString(),
      project: plan.project,
      stack: plan.stack,
      salt: key.salt,
      steps,
      secrets,
      findings: plan.findings,
      zones: zones.map(({ kept }) => kept),
      unknownZones: plan.unknownZones,
      kept: plan.kept,
      plan: enginePlan.text,
    },
    zones: zones.map(({ contents }) => contents),
  };
}

/** Reads several zones, each where it will be changed. If one of them is refused, nothing is sent. */
export async function readZones<Zone extends PlannedZone, T>(
  { session, file, config: command }: Approving,
  zones: readonly Zone[],
  read: (client: ReadClient, zone: Zone) => Promise<T>,
): Promise<T[]> {
  const progress = new Progress(session);
  const reader = new Reader({ session, flags: file?.flags ?? {}, progress, file: file?.name });
  const needsConfig = zones.length > 0 && file === undefined && !saysAll(session.env);
  const config = needsConfig ? await stackConnection(session, command) : {};
  const readable = zones.map((zone) => ({ zone, client: clientOf(reader, zone, config) }));
  return progress.during("Reading zones", () =>
    allInFlight(zonesAtOnce, readable, ({ client, zone }) => read(client, zone)),
  );
}

function clientOf(
  reader: Reader,
  { zoneId, connections, isConnectionHidden }: PlannedZone,
  config: StackConfig,
): ReadClient {
  if (isConnectionHidden) {
    throw new CommandError(
      `Failed to read zone ${zoneId}: the connection of one of its resources is secret or not known yet, so the zone cannot be read where it will be changed. Write it in plain text: it holds no token.`,
    );
  }
  const urls = new Set(connections.map((argument) => reader.connection({ argument, config }).baseUrl));
  if (urls.size > 1) {
    throw new CommandError(
      `Failed to read zone ${zoneId}: its resources have different base URLs (${forTerminal([...urls].join(", "))}). Give all of them the same connection.`,
    );
  }
  return reader.client({ argument: connections[0], config });
}

type Secrets = ApprovedContent["secrets"];

/**
 * Each secret input with its digest: from the provider process, or from the plan where only the engine's events hide a
 * text. An input with neither could not be compared, and counts as unknown.
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
