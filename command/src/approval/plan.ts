import { compareTexts, grouped } from "pulumi-page-guard/tools";
import {
  asPlainJson,
  isChanging,
  type PreviewRead,
  type PreviewStep,
  unknownValue,
  type Values,
  zonesOf,
} from "../preview/preview-read";
import { plannedZones } from "../review/read-zones";
import { distinct, listIn, recordIn, stringIn } from "../values";
import type { ApprovedFinding, ApprovedStep } from "./approved-file";
import { placesOf } from "./places";

/** What a preview shows, in a form that can be approved and compared. */
export type PreviewPlan = ReturnType<typeof planOf>;

/** Pure. */
export function planOf(read: PreviewRead) {
  const ours = read.steps.filter(({ isOurs }) => isOurs);
  const unplaced = ours.filter((step) => isChanging(step) && zonesOf(step).length === 0);
  return {
    project: read.project ?? "",
    stack: read.stack ?? "",
    steps: read.steps
      .filter(isChanging)
      .map(stepOf)
      .sort(byUrn(({ op }) => op)),
    findings: findingsOf(read),
    zones: plannedZones(ours),
    unknownZones: unplaced.map(({ urn }) => urn).sort(),
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
  const own = (values: object): Values =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !moving.has(name)));
  const isObject = (one: unknown): one is object => typeof one === "object" && one !== null;
  const inside = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((one) => (isObject(one) ? own(one) : one)) : value;
  return Object.fromEntries(Object.entries(own(recorded)).map(([name, value]) => [name, inside(value)]));
}

/** Each finding once, with what it is about. Its text is for a refusal, and is neither approved nor compared. */
function findingsOf({ findings }: PreviewRead): (ApprovedFinding & { readonly text: string })[] {
  const all = findings.map(({ urn = "", code, data, text }) => ({ urn, code, about: aboutIn(data), text }));
  const groups = grouped(all, ({ urn, code }) => JSON.stringify([urn, code]));
  const merged = [...groups.values()].map((group) => ({
    ...group[0],
    about: distinct(group.flatMap(({ about }) => about)).sort(),
  }));
  return merged.sort(byUrn(({ code }) => code));
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

function byUrn<T extends { readonly urn: string }>(then: (one: T) => string) {
  const text = (one: T): string => `${one.urn} ${then(one)}`;
  return (left: T, right: T): number => compareTexts(text(left), text(right));
}
