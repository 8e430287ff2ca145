import { isDeepStrictEqual } from "node:util";
import { engineMarks, parseJson, readMark } from "pulumi-page-guard/tools";
import * as z from "zod";
import { forTerminal } from "../documents/escape";
import type { PulumiPreview } from "../pulumi/command-line";
import { unsetInPreview } from "../pulumi/own-folder";
import { runPulumi } from "../pulumi/run-pulumi";
import { CommandError } from "../shared/command-error";
import { resourceText } from "../shared/labels";
import { Progress } from "../shared/progress";
import type { Session } from "../shared/session";
import type { StateResource } from "../state/read-state";
import type { Values } from "./preview-read";

/** Resource options that the engine's plan does not compare, each with its name in the state. */
export const comparedOptions: Readonly<Record<string, string>> = {
  deletedWith: "deletedWith",
  hideDiffs: "hideDiff",
  hooks: "resourceHooks",
  replaceOnChanges: "replaceOnChanges",
  replaceWith: "replaceWith",
  replacementTrigger: "replacementTrigger",
  retainOnDelete: "retainOnDelete",
};

/** Returns the options that `apply` compares, by name. Leaves out options that are off. */
export function selectOptions(resource: Readonly<Record<string, unknown>> | null | undefined): Values {
  const given = Object.entries(comparedOptions).flatMap(([name, inState]) => {
    const value = resource?.[inState];
    return isOff(value)
      ? []
      : [[name, readMark(value) === "secret" ? engineMarks.secretText : value] as const];
  });
  return Object.fromEntries(given);
}

function isOff(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === false || value === "";
}

/** Returns the options that differ, with both values. Safe to show. Ignores options whose earlier value is unknown. */
export function differingOptions(before: Values, now: Values) {
  const valueText = (value: unknown): string =>
    value === undefined ? "none" : forTerminal(JSON.stringify(value), 200);
  return Object.keys(comparedOptions)
    .filter((name) => readMark(before[name]) !== "unknown" && !isDeepStrictEqual(before[name], now[name]))
    .map((name) => ({ name, was: valueText(before[name]), is: valueText(now[name]) }));
}

/** Returns a line for each option that differs from its approved value: `csp (CspPolicy): the option …`. Safe to show. */
export function optionsNotAsApproved(
  approved: Readonly<Record<string, Values>>,
  state: readonly StateResource[],
): readonly string[] {
  return state.flatMap((resource) => {
    const before = Object.hasOwn(approved, resource.urn) ? approved[resource.urn] : undefined;
    if (!before || resource.delete) return [];
    return differingOptions(before, selectOptions(resource)).map(
      ({ name, was, is }) =>
        `${resourceText(resource.urn)}: the option ${name} is ${is}, but ${was} was approved`,
    );
  });
}

const side = z.looseObject({}).nullish();
const digestStep = z.object({ op: z.string().optional(), urn: z.string(), oldState: side, newState: side });
/** Schema of the parts of `pulumi preview --json --show-sames` that the command reads, as observed with CLI 3.259. */
const digestSchema = z.object({ steps: z.array(digestStep).nullish() });

/** Message with which the engine (3.259) crashes if `preview --json` would print a secret `replacementTrigger`. */
const isSecretTrigger = /^panic: attempt to encrypt value/m;

/**
 * Reads the options of all resources, in the state and in the program. Events lack most options. So this runs a second
 * preview, which streams no events, and reads the document that `pulumi preview --json` then prints.
 *
 * @throws CommandError if the preview fails.
 */
export async function readOptions(session: Session, { digest }: PulumiPreview) {
  const env = { ...unsetInPreview, PULUMI_ENABLE_STREAMING_JSON_PREVIEW: undefined };
  const { stdout, output } = await new Progress(session).during(
    "Reading the resource options",
    () => runPulumi(session, digest, { env }),
    false,
  );
  const { data } = digestSchema.safeParse(parseJson(stdout.slice(Math.max(0, stdout.search(/^\{\r?$/m)))));
  if (!data) {
    const why = isSecretTrigger.test(output)
      ? "the engine cannot print a replacementTrigger that is secret. Use a trigger that is not secret, such as a digest of the secret"
      : "the second preview, which reads the resource options, failed. Preview again";
    throw new CommandError(`Failed to approve: ${why}. No file was written.`);
  }
  const all = new Map<string, { was: Values; becomes: Values }>();
  for (const { op = "", urn, oldState, newState } of data.steps ?? []) {
    // Steps of these two kinds have only the options in the state, and may concern an object that an earlier run replaced.
    if (op === "refresh" || op === "delete-replaced") continue;
    // A replacement has several steps, and some of these have only the old or only the new state.
    const { was, becomes } = all.get(urn) ?? {};
    all.set(urn, {
      was: { ...was, ...selectOptions(oldState) },
      becomes: { ...becomes, ...selectOptions(newState) },
    });
  }
  return { options: all, isStateKept: (data.steps ?? []).every(isKept) };
}

/** Fields of a resource in the state that a preview does not compute, or that only say where and when it was declared. */
const notInPreview = ["id", "outputs", "created", "modified", "sourcePosition", "stackTrace"];

/** Whether an update leaves a resource unchanged in the state. An option such as `protect` can change even in a step `same`. */
function isKept({ oldState, newState }: z.output<typeof digestStep>): boolean {
  return Object.keys({ ...oldState, ...newState }).every(
    (name) => notInPreview.includes(name) || isDeepStrictEqual(oldState?.[name], newState?.[name]),
  );
}
