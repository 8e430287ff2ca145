import { engineMarks, getAtPath, isSameField, parseKind, toObjectType } from "pulumi-page-guard/tools";
import { optionsNotAsApproved } from "../preview/options";
import { asPlainJson, type PreviewRead } from "../preview/preview-read";
import { plainValues } from "../preview/read-events";
import { findKeepers } from "../review/zone-effects";
import { resourceText } from "../shared/labels";
import type { StateResource } from "../state/read-state";
import type { ApprovedContent, ApprovedStep } from "./approved-file";
import { nameTexts } from "./differences";
import { checkPassedOnState } from "./engine-plan";
import { makePlan } from "./make-approval";
import { differingPlaces, findPlaces, type Path, pathKey } from "./places";

type Steps = ApprovedContent["steps"];

/**
 * Returns the approved inputs of each resource of this package as JSON, so that the provider can refuse other inputs. Values that
 * were unknown or secret at approval are replaced by the engine's mark for unknown values. `keepers` names the resource that
 * keeps each policy, so that the provider lets no other resource adopt it. `planned`: all steps of the preview before the update.
 */
export function inputsForProvider(steps: Steps, planned: PreviewRead["steps"]): string {
  const entries = declaring(steps).map((step) => [
    step.urn,
    hideUnseen(step.after ?? {}, new Set(unseenPlaces(step).map(pathKey))),
  ]);
  return JSON.stringify({
    ...Object.fromEntries(entries),
    keepers: Object.fromEntries(findKeepers(planned)),
  });
}

/**
 * Compares an update with its approval. `others` describes changes that nobody approved. `notCompared` lists secret inputs that
 * cannot be compared, because a policy pack changed their resource. Both lists are safe to show. Pure.
 */
export function compareCarriedOut(approved: Steps, update: PreviewRead) {
  const steps = new Map(declaring(approved).map((step) => [step.urn, step]));
  const remediated = new Set(update.steps.flatMap(({ urn, isRemediated }) => (isRemediated ? urn : [])));
  const done = declaring(makePlan(update).steps);
  return {
    others: done.flatMap((step) => {
      const before = steps.get(step.urn);
      if (!before) return [`${resourceText(step.urn)} was not approved`];
      return otherInputs(before, step.after);
    }),
    notCompared: done.flatMap((step) => {
      const names = remediated.has(step.urn) ? nameTexts(secretPlaces(steps.get(step.urn))) : [];
      return names.length === 0 ? [] : [`${names.join(", ")} of ${resourceText(step.urn)}`];
    }),
  };
}

/** Describes how a state differs from the state that an approved update should leave behind. Safe to show. Pure. */
export function notInState(
  approved: Pick<ApprovedContent, "steps" | "options" | "plan">,
  state: readonly StateResource[],
): readonly string[] {
  const kept = new Map(state.flatMap((one) => (one.delete ? [] : [[one.urn, one] as const])));
  return [
    ...declaring(approved.steps).flatMap((step) => {
      const resource = kept.get(step.urn);
      if (!resource) return [`${resourceText(step.urn)} is not in the state`];
      return otherInputs(step, asPlainJson(plainValues(resource.inputs ?? {})));
    }),
    ...checkPassedOnState(approved, state),
    ...optionsNotAsApproved(approved.options ?? {}, state),
  ];
}

function otherInputs(approved: ApprovedStep, inputs: unknown): readonly string[] {
  const unseen = new Set(unseenPlaces(approved).map(pathKey));
  const kind = toObjectType(parseKind(approved.type)) ?? "";
  // A refresh writes the live values of an adopted object into the state. These can have the same meaning as the approved values
  // in a different spelling.
  const isSame = (path: Path): boolean =>
    isSameField(kind, path.at(-1) ?? "", getAtPath(approved.after, path), getAtPath(inputs, path));
  const names = nameTexts(differingPlaces(approved.after, inputs, unseen).filter((path) => !isSame(path)));
  return names.length === 0 ? [] : [`${resourceText(approved.urn)} has a different ${names.join(", ")}`];
}

/** Returns the steps that declare resources of this package. Leaves out deletions, such as the second step of a replacement. */
function declaring(steps: Steps): Steps {
  return steps.filter(({ type, after }) => parseKind(type) !== undefined && after !== undefined);
}

function unseenPlaces(step: ApprovedStep): readonly Path[] {
  return [...step.unknown, ...secretPlaces(step)];
}

/** Returns the paths of inputs that are or contain a secret. The engine hides only the secret part of a string. */
function secretPlaces(step: ApprovedStep | undefined): readonly Path[] {
  return findPlaces(
    step?.after,
    (value) => typeof value === "string" && value.includes(engineMarks.secretText),
  );
}

function hideUnseen(value: unknown, unseen: ReadonlySet<string>, path: Path = []): unknown {
  if (unseen.has(pathKey(path))) return engineMarks.unknown;
  if (Array.isArray(value)) return value.map((one, at) => hideUnseen(one, unseen, [...path, String(at)]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, hideUnseen(one, unseen, [...path, name])]),
  );
}
