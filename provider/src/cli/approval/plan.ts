import type { ConnectionArgs } from "../../api/client-types";
import type { ApprovedFinding, ApprovedStep } from "../../lifecycle/approval/approved-file";
import type { ApprovedPart } from "../../lifecycle/approval/zone-contents";
import { zoneIdIn } from "../../zone/zone-id";
import { argumentOf } from "../program-connection";
import { type PreviewRead, type PreviewStep, secretValue, unknownValue } from "../review/preview-read";
import { isChanging, zonesOf } from "../review/zone-objects";
import { recordIn } from "../values";

/** What a preview shows, in a form that can be approved and compared. */
export interface PreviewPlan {
  readonly project: string;
  readonly stack: string;
  readonly steps: readonly ApprovedStep[];
  readonly findings: readonly ApprovedFinding[];
  readonly zones: readonly PlannedZone[];
  /** URNs of resources whose zone is not known yet. */
  readonly unknownZones: readonly string[];
  /** URNs of resources with a type of this package and another provider. */
  readonly forged: readonly string[];
  /** Objects of zones, by zone and id, that resources of the stack have and keep. */
  readonly kept: readonly string[];
  /** A resource of this package has a secret input. */
  readonly hasSecrets: boolean;
}

/** A zone that resources of the stack are in. */
export interface PlannedZone {
  readonly zoneId: string;
  readonly needed: ReadonlySet<ApprovedPart>;
  /** A resource of the zone has a secret input: only digests of policies and rules are kept. */
  readonly isClosed: boolean;
  /** Of its resources. */
  readonly connections: readonly ConnectionArgs[];
  /** A resource of the zone has a connection that is secret, or not known yet. */
  readonly isConnectionHidden: boolean;
  /** Several providers change it. */
  readonly isShared: boolean;
}

const partsOf: Readonly<Record<string, readonly ApprovedPart[]>> = {
  PageGuardSettings: ["settings"],
  CspPolicy: ["policies"],
  CspPolicySet: ["policies"],
  ManagedWafEntrypoint: ["rules"],
  WafMigrationStep: ["rules", "migration"],
};

/** Pure. */
export function planOf(read: PreviewRead): PreviewPlan {
  const ours = read.steps.filter(({ isOurs }) => isOurs);
  return {
    project: read.project ?? "",
    stack: read.stack ?? "",
    steps: sorted(read.steps.filter(isChanging).map(stepOf), ({ urn, op }) => `${urn} ${op}`),
    findings: sorted(findingsOf(read), ({ urn, code, text }) => `${urn} ${code} ${text}`),
    zones: plannedZones(ours),
    unknownZones: ours
      .filter((step) => isChanging(step) && zonesOf(step).length === 0)
      .map(({ urn }) => urn)
      .sort(),
    forged: read.steps.filter(({ isForged }) => isForged).map(({ urn }) => urn),
    kept: [...new Set(ours.flatMap(keptBy))].sort(),
    hasSecrets: ours.some(isSecretive),
  };
}

function stepOf(step: PreviewStep): ApprovedStep {
  const { urn, type, op, id, differences, before, after, facts, isOurs } = step;
  return {
    urn,
    type,
    op,
    ...(id !== "" && { id }),
    differences: Object.fromEntries(
      differences.map(({ path, kind, replaces }) => [path, replaces ? `${kind}-replace` : kind]),
    ),
    ...(before && { before: { ...before } }),
    ...(after && { after: { ...after } }),
    unknown: facts.unknown.map((path) => [...path]),
    secret: [...facts.secret],
    // Outputs of other packages may be large.
    ...(isOurs && facts.recorded && { recorded: { ...facts.recorded } }),
    hidden: isOurs ? [...facts.hidden] : [],
  };
}

const removing = new Set(["delete", "replace"]);

/** Policies in the state that stay: of a set those with keys that are still declared. */
function keptBy({ op, kind, id, after, facts: { recorded = {} } }: PreviewStep): string[] {
  const zoneId = zoneIdIn(id);
  if (removing.has(op) || zoneId === undefined) return [];
  if (kind === "CspPolicy") return [id.toLowerCase()];
  if (kind !== "CspPolicySet") return [];
  const declared = recordIn(after?.["policies"]);
  return Object.entries(recordIn(recorded["policyIds"]))
    .filter(([key]) => Object.hasOwn(declared, key))
    .map(([, policyId]) => `${zoneId}/${String(policyId).toLowerCase()}`);
}

function findingsOf({ findings }: PreviewRead): ApprovedFinding[] {
  return findings.map(({ urn = "", severity, code, text, data }) => ({
    urn,
    severity,
    code,
    text,
    ...(data && { data: { ...data } }),
  }));
}

function plannedZones(steps: readonly PreviewStep[]): readonly PlannedZone[] {
  const zones = new Map<string, PreviewStep[]>();
  for (const step of steps) {
    for (const id of zonesOf(step)) zones.set(id, [...(zones.get(id) ?? []), step]);
  }
  return sorted(
    [...zones].map(([zoneId, inside]) => ({
      zoneId,
      needed: new Set(inside.flatMap(({ kind }) => partsOf[kind] ?? [])),
      isClosed: inside.some(isSecretive),
      connections: inside.map((step) => argumentOf(connectionOf(step))),
      isConnectionHidden: inside.some((step) => holds(connectionOf(step), [secretValue, unknownValue])),
      isShared: new Set(inside.filter(isChanging).map(({ provider }) => provider)).size > 1,
    })),
    ({ zoneId }) => zoneId,
  );
}

/** A deletion uses the one in the state. */
function connectionOf({ after, connections: { was, becomes } }: PreviewStep): unknown {
  return after ? becomes : was;
}

function isSecretive({ before, after }: PreviewStep): boolean {
  return holds([before, after], [secretValue]);
}

function holds(value: unknown, marks: readonly string[]): boolean {
  if (typeof value === "string") return marks.includes(value);
  return typeof value === "object" && value !== null && Object.values(value).some((one) => holds(one, marks));
}

function sorted<T>(items: readonly T[], text: (item: T) => string): T[] {
  return [...items].sort((left, right) => (text(left) < text(right) ? -1 : 1));
}
