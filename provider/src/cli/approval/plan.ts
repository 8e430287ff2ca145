import type { ConnectionArgs } from "../../api/client-types";
import type { ApprovedFinding, ApprovedStep } from "../../lifecycle/approval/approved-file";
import { placesOf } from "../../lifecycle/approval/differing-places";
import { steadyState } from "../../lifecycle/approval/step-compared";
import type { ApprovedPart } from "../../lifecycle/approval/zone-contents";
import { grouped } from "../../text/grouped";
import { zoneIdIn } from "../../zone/zone-id";
import { argumentOf } from "../program-connection";
import {
  asPlainJson,
  type PreviewRead,
  type PreviewStep,
  secretValue,
  unknownValue,
  type Values,
} from "../review/preview-read";
import { recordedPolicies } from "../review/stack-policies";
import { isSecret } from "../review/step-values";
import { isChanging, zonesOf } from "../review/zone-objects";
import { distinct } from "../values";

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
  const { urn, type, op, id, differences, before, after, recorded, isOurs } = step;
  const hidden = isOurs ? secretNames(recorded) : [];
  return {
    urn,
    type,
    op,
    ...(id !== "" && { id }),
    differences: Object.fromEntries(
      differences.map(({ path, kind, replaces }) => [path, replaces ? `${kind}-replace` : kind]),
    ),
    ...(before && { before: asPlainJson(before) }),
    ...(after && { after: asPlainJson(after) }),
    unknown: placesOf(after, (value) => value === unknownValue).map((path) => [...path]),
    secret: secretNames(after),
    // Outputs of other packages may be large.
    ...(isOurs && recorded && { recorded: asPlainJson(steadyState(recorded, hidden)) }),
    hidden,
  };
}

function secretNames(values: Values = {}): string[] {
  return Object.keys(values).filter((name) => placesOf(values[name], isSecret).length > 0);
}

function keptBy(step: PreviewStep): string[] {
  return recordedPolicies(step).flatMap(({ id, fate }) =>
    id !== undefined && (fate === "kept" || fate === "unknown")
      ? [`${zoneIdIn(step.id)}/${id.toLowerCase()}`]
      : [],
  );
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
  const zones = grouped(
    steps.flatMap((step) => zonesOf(step).map((zoneId) => ({ zoneId, step }))),
    ({ zoneId }) => zoneId,
  );
  const planned = [...zones].map(([zoneId, group]): PlannedZone => {
    const inside = group.map(({ step }) => step);
    return {
      zoneId,
      needed: new Set(inside.flatMap(({ kind }) => partsOf[kind] ?? [])),
      isClosed: inside.some(isSecretive),
      connections: inside.map((step) => argumentOf(connectionOf(step))),
      isConnectionHidden: inside.some((step) => holds(connectionOf(step), [secretValue, unknownValue])),
      isShared: distinct(inside.filter(isChanging).map(({ provider }) => provider)).length > 1,
    };
  });
  return sorted(planned, ({ zoneId }) => zoneId);
}

/** A deletion uses the one in the state. */
function connectionOf({ after, connections: { was, becomes } }: PreviewStep): unknown {
  return after ? becomes : was;
}

function isSecretive({ before, after }: PreviewStep): boolean {
  return holds([before, after], [secretValue]);
}

function holds(value: unknown, marks: readonly unknown[]): boolean {
  return placesOf(value, (one) => marks.includes(one)).length > 0;
}

function sorted<T>(items: readonly T[], text: (item: T) => string): T[] {
  return [...items].sort((left, right) => (text(left) < text(right) ? -1 : 1));
}
