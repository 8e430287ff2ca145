import { writeFileSync } from "node:fs";
import { createClient } from "../../../provider/src/api/create-client";
import {
  type ApprovedContent,
  type ApprovedStep,
  approvedFormat,
  approvedText,
} from "../../../provider/src/lifecycle/approval/approved-file";
import { digestKey, newSalt, secretDigest } from "../../../provider/src/lifecycle/approval/keyed-digest";
import { asApproved } from "../../../provider/src/lifecycle/approval/moved";
import { steadyState } from "../../../provider/src/lifecycle/approval/step-compared";
import { readZoneContents, zoneParts } from "../../../provider/src/lifecycle/approval/zone-contents";
import type { Simulator } from "../../../provider/src/simulator";
import type { Properties } from "../../small-engine/checkpoint";

/** A step of the small engine's resources, as a preview would have it. */
export function step(
  kind: string,
  op: string,
  name: string,
  after: Properties = {},
  { id, recorded }: { readonly id?: string; readonly recorded?: Properties } = {},
): ApprovedStep {
  const type = `pulumi-nodejs:dynamic/page-guard:${kind}`;
  return {
    urn: `urn:pulumi:dev::story::pulumi-nodejs:dynamic/page-guard:Kind::${name}`,
    type,
    op,
    differences: {},
    after: { ...after },
    ...{ unknown: [], secret: [], hidden: [] },
    ...(id !== undefined && { id }),
    ...(recorded && { recorded: steadyState(recorded) }),
  };
}

export interface Wanted {
  readonly zones: readonly string[];
  readonly steps: readonly ApprovedStep[];
  readonly key?: string;
  readonly isClosed?: boolean;
  /** Secret inputs as they are approved. */
  readonly secrets?: readonly { readonly urn: string; readonly property: string; readonly value: unknown }[];
  readonly more?: Partial<ApprovedContent>;
}

/** What an approved file says that allows nothing, of no zone. */
export function emptyContent(salt: string): ApprovedContent {
  return {
    ...approvedFormat,
    madeAt: "2026-01-01T00:00:00.000Z",
    project: "story",
    stack: "dev",
    salt,
    steps: [],
    secrets: [],
    findings: [],
    zones: [],
    unknownZones: [],
    kept: [],
    plan: "",
  };
}

/** Writes an approved file of what the zones hold now. */
export async function approve(file: string, sim: Simulator, wanted: Wanted): Promise<void> {
  const { zones, steps, key, isClosed = false, secrets = [], more = {} } = wanted;
  const client = createClient({ baseUrl: sim.url, token: sim.token, service: "page_guard" }, { env: {} });
  const salt = newSalt();
  const content: ApprovedContent = {
    ...emptyContent(salt),
    steps: [...steps],
    secrets: await Promise.all(
      secrets.map(async ({ urn, property, value }) => ({
        ...{ urn, property },
        digest: await secretDigest(digestKey(salt, key), `${urn}#${property}`, value),
      })),
    ),
    zones: await Promise.all(
      zones.map(async (zoneId) =>
        asApproved(
          await readZoneContents(client, zoneId, {
            needed: new Set(["settings", "policies"]),
            wished: zoneParts,
          }),
          isClosed,
          digestKey(salt, key),
        ),
      ),
    ),
    ...more,
  };
  writeFileSync(file, approvedText(content, key));
}
