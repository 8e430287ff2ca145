import { type ConnectionArgs, grouped, kinds } from "pulumi-page-guard/tools";
import {
  asPlainJson,
  isChanging,
  type PreviewRead,
  type PreviewStep,
  secretValue,
  unknownValue,
  type Values,
  zonesOf,
} from "../preview/preview-read";
import { argumentOf } from "../program-connection";
import { distinct, listIn, recordIn, stringIn } from "../values";
import type { ApprovedFinding, ApprovedStep } from "./approved-file";
import { placesOf } from "./places";
import { type ApprovedPart, zoneParts } from "./zone-contents";

/** What a preview shows, in a form that can be approved and compared. */
export type PreviewPlan = ReturnType<typeof planOf>;

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
}

/** Pure. */
export function planOf(read: PreviewRead) {
  const ours = read.steps.filter(({ isOurs }) => isOurs);
  const isZoneUnknown = (step: PreviewStep): boolean => isChanging(step) && zonesOf(step).length === 0;
  return {
    project: read.project ?? "",
    stack: read.stack ?? "",
    steps: sorted(read.steps.filter(isChanging).map(stepOf), ({ urn, op }) => `${urn} ${op}`),
    findings: findingsOf(read),
    zones: plannedZones(ours),
    unknownZones: ours
      .filter(isZoneUnknown)
      .map(({ urn }) => urn)
      .sort(),
  };
}

function stepOf({ urn, type, op, id, before, after, recorded, isOurs }: PreviewStep): ApprovedStep {
  return {
    ...{ urn, type, op },
    ...(id !== "" && { id }),
    ...(before && { before: asPlainJson(before) }),
    ...(after && { after: asPlainJson(after) }),
    // Outputs of other packages may be large.
    ...(isOurs && recorded && { recorded: asPlainJson(steady(recorded)) }),
    unknown: placesOf(after, (value) => value === unknownValue).map((path) => [...path]),
  };
}

/** What the service sets by itself, at any time. */
const moving = new Set(["updatedAt", "version", "lastUpdated"]);

/** A record in the state without what moves by itself: its own, and that of the entries of its lists. */
function steady(recorded: Values): Values {
  const own = (values: Values): Values =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !moving.has(name)));
  return Object.fromEntries(
    Object.entries(own(recorded)).map(([name, value]) => [
      name,
      Array.isArray(value)
        ? value.map((one: unknown) => (typeof one === "object" && one !== null ? own({ ...one }) : one))
        : value,
    ]),
  );
}

/** Each finding once, with what it is about. Its text is for a refusal, and is neither approved nor compared. */
function findingsOf({ findings }: PreviewRead): (ApprovedFinding & { readonly text: string })[] {
  const groups = grouped(
    findings.map(({ urn = "", code, data, text }) => ({ urn, code, about: aboutIn(data), text })),
    ({ urn, code }) => JSON.stringify([urn, code]),
  );
  const merged = [...groups.values()].map((group) => ({
    ...group[0],
    about: distinct(group.flatMap(({ about }) => about)).sort(),
  }));
  return sorted(merged, ({ urn, code }) => `${urn} ${code}`);
}

/** Hosts, sources and objects that a finding names, and how many it only counts. */
function aboutIn(data: Values = {}): string[] {
  const named = ["hosts", "sources", "policies"].flatMap((list) =>
    listIn(data[list]).flatMap((entry) => {
      const { host, source, policyId } = recordIn(entry);
      return stringIn(host) ?? stringIn(source) ?? stringIn(policyId) ?? [];
    }),
  );
  const more = ["moreHosts", "moreSources"].flatMap((name) => (data[name] ? [`${data[name]} more`] : []));
  return [...named, ...more];
}

/** The zones of these resources. */
export function plannedZones(steps: readonly PreviewStep[]): readonly PlannedZone[] {
  const zones = grouped(
    steps.flatMap((step) => zonesOf(step).map((zoneId) => ({ zoneId, step }))),
    ({ zoneId }) => zoneId,
  );
  const planned = [...zones].map(([zoneId, group]): PlannedZone => {
    const inside = group.map(({ step }) => step);
    return {
      zoneId,
      needed: new Set(inside.flatMap(({ kind }) => partsOf(kind))),
      isClosed: inside.some(({ before, after }) => holds([before, after], [secretValue])),
      connections: inside.map((step) => argumentOf(connectionOf(step))),
      isConnectionHidden: inside.some((step) => holds(connectionOf(step), [secretValue, unknownValue])),
    };
  });
  return sorted(planned, ({ zoneId }) => zoneId);
}

/** Parts of a zone that resources of this kind change. */
function partsOf(kind: string): ApprovedPart[] {
  const load = Object.entries(kinds).find(([name]) => name === kind)?.[1];
  const changed: readonly string[] = load?.().parts ?? [];
  return zoneParts.filter((part) => changed.includes(part));
}

/** A deletion uses the one in the state. */
function connectionOf({ after, connections: { was, becomes } }: PreviewStep): unknown {
  return after ? becomes : was;
}

function holds(value: unknown, marks: readonly unknown[]): boolean {
  return placesOf(value, (one) => marks.includes(one)).length > 0;
}

function sorted<T>(items: readonly T[], text: (item: T) => string): T[] {
  return [...items].sort((left, right) => (text(left) < text(right) ? -1 : 1));
}
