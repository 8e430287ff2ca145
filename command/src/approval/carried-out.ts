import { kindOf, unknownMark } from "pulumi-page-guard/tools";
import { type PreviewRead, secretText } from "../preview/preview-read";
import { resourceText } from "../shared/labels";
import type { ApprovedContent, ApprovedStep } from "./approved-file";
import { nameTexts } from "./differences";
import { differingPlaces, type Path, pathKey, placesOf } from "./places";
import { planOf } from "./plan";

type Steps = ApprovedContent["steps"];

/** Returns the approved inputs of our resources, as JSON. The engine's mark for unknown values replaces what nobody saw. */
export function inputsForProvider(steps: Steps): string {
  const entries = steps
    .filter(isOurs)
    .map((step) => [step.urn, hidden(step.after ?? {}, new Set(unseenPlaces(step).map(pathKey)))]);
  return JSON.stringify(Object.fromEntries(entries));
}

/** Compares an update with its approval. `notCompared`: secret inputs that a policy pack may have changed. Safe to show. Pure. */
export function compareCarriedOut(approved: Steps, update: PreviewRead) {
  const steps = new Map(approved.filter(isOurs).map((step) => [step.urn, step]));
  const remediated = new Set(update.steps.flatMap(({ urn, isRemediated }) => (isRemediated ? urn : [])));
  const done = planOf(update).steps.filter((step) => isOurs(step) && step.after !== undefined);
  return {
    others: done.flatMap((step) => {
      const before = steps.get(step.urn);
      if (!before) return [`${resourceText(step.urn)} was not approved`];
      const places = differingPlaces(before.after, step.after, new Set(unseenPlaces(before).map(pathKey)));
      const names = nameTexts(places);
      return names.length === 0 ? [] : [`${resourceText(step.urn)} has a different ${names.join(", ")}`];
    }),
    notCompared: done.flatMap((step) => {
      const names = remediated.has(step.urn) ? nameTexts(secretPlaces(steps.get(step.urn))) : [];
      return names.length === 0 ? [] : [`${names.join(", ")} of ${resourceText(step.urn)}`];
    }),
  };
}

function isOurs({ type }: Pick<ApprovedStep, "type">): boolean {
  return kindOf(type) !== undefined;
}

function unseenPlaces(step: ApprovedStep): readonly Path[] {
  return [...step.unknown, ...secretPlaces(step)];
}

/** Returns the paths of secret inputs. The engine also hides a secret of the stack's config within a longer text. */
function secretPlaces(step: ApprovedStep | undefined): readonly Path[] {
  return placesOf(step?.after, (value) => typeof value === "string" && value.includes(secretText));
}

function hidden(value: unknown, unseen: ReadonlySet<string>, path: Path = []): unknown {
  if (unseen.has(pathKey(path))) return unknownMark;
  if (Array.isArray(value)) return value.map((one, at) => hidden(one, unseen, [...path, String(at)]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, hidden(one, unseen, [...path, name])]),
  );
}
