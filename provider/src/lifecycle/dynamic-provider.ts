import type * as pulumi from "@pulumi/pulumi";
import type { ConnectionArgs } from "../api/client-types";
import { OfflineError } from "../errors/page-guard-error";
import { errorOn, errorsOf, type Finding, findingText } from "../model/finding";
import type { Properties } from "../model/properties";
import { containsUnknown, isUnknown } from "../model/unknown";
import { declaredAsIn, declaredKind } from "../model/urn";
import { isSameZone } from "../model/zone-id";
import { messageOf } from "../text/data";
import { withCode } from "../text/message";
import { CodedError, codeOf } from "./coded-error";
import { Draft } from "./draft";
import { type FindingPlace, tell, writeFinding } from "./findings-file";
import { carriedUrn, withoutHidden, withUrn } from "./hidden-inputs";
import { inspectDeclaration } from "./inspect-declaration";
import { type Kind, nothingToDo, type Plan, type Recorded } from "./kind";
import { refuseOffline } from "./offline";
import { PartialFailureError } from "./partial-failure-error";
import {
  refuseRemediated,
  refuseUnapproved,
  remediatedFinding,
  remediatedInputs,
  rememberChecked,
} from "./remediated-inputs";
import { onResource, type Run } from "./run";
import {
  checkedResources,
  type Secrets,
  type SecretTexts,
  secretsOf,
  secretTextsFor,
  textWithoutSecrets,
  withoutSecrets,
} from "./secret-inputs";
import { readInputs, readState, upgradeState, withoutUndefined, withVersion } from "./state";
import { claimZone, holdZone } from "./zone-claims";

/** The lifecycle that the engine calls, made of what a kind decides and what all kinds share. */
export function dynamicProvider(
  loadKind: () => Kind<unknown, object>,
  run: Run,
): Required<pulumi.dynamic.ResourceProvider> {
  /** Objects in the state that the program of this run declares, by URN. */
  const declared = new Map<string, Recorded<object>>();

  /** What the resource has in the zone for which it is being recreated. */
  const stateIn = (zoneId: unknown, urn: string): object | undefined => {
    const { id, state } = declared.get(urn) ?? {};
    return isSameZone(id, zoneId) ? state : undefined;
  };

  /** Ids that a read of this run found changed where no input shows it. */
  const drifted = new Set<string>();

  return {
    async configure({ config }: pulumi.dynamic.ConfigureRequest) {
      run.useConfig((key) => config.get(`page-guard:${key}`));
    },

    async check(olds: Properties, news: Properties) {
      const kind = loadKind();
      const urn = carriedUrn(news);
      const given = withoutHidden(news);
      const secrets = secretsOf(news["__secrets"], given);
      const recorded = Object.keys(olds).length === 0 ? undefined : withoutHidden(olds);
      checkedResources(run).set(urn, { secrets, recorded });
      let inputs = given;
      const found = await asFindings(async () => {
        if (recorded !== undefined) readInputs(kind, recorded);
        inputs = kind.inRecordedWords?.(recorded, given) ?? given;
        const draft = new Draft(kind, inputs, urn);
        // The engine checks a second time, without old inputs, before it replaces what it has just compared.
        const replaced = recorded === undefined ? declared.get(urn) : undefined;
        // The program has shown its warnings where it saw all values, a plugin's none.
        const isUnseen = news["__secrets"] !== undefined && replaced === undefined;
        const warnings = isUnseen ? inspectDeclaration(kind, inputs).warnings : [];
        const { errors } = inspectDeclaration(kind, inputs, "errors");
        const wrong = errors.length > 0 ? errors : rivalFindings(kind, run, draft);
        if (wrong.length > 0 || recorded !== undefined) return [...wrong, ...warnings];
        return [
          ...warnings,
          ...(await onResource(urn, () =>
            createFindings(kind, run, draft, replaced, stateIn(inputs["zoneId"], urn)),
          )),
        ];
      });
      const errors = await reported(run, found, secrets, { urn, zoneId: inputs["zoneId"] });
      rememberChecked(run, kind.name, urn, inputs);
      return {
        inputs: withUrn(inputs, urn),
        // Only the empty property prints a text without the (possibly secret) value of an input.
        failures: errors.map((reason) => ({ property: "", reason })),
      };
    },

    diff(id: string, olds: Properties, news: Properties) {
      // A policy pack may drop what it does not know.
      const urn = carriedUrn(news) || carriedUrn(olds);
      return asShownError(
        async () => {
          const kind = loadKind();
          const now = withoutHidden(news);
          const recorded = upgradeState(olds, kind.name);
          const state = readState(kind, olds);
          const checked = checkedResources(run).get(urn);
          const draft = new Draft(kind, now, urn);
          const changed = kind.changedInputs(state, draft);
          const replaces = changed.filter((name) => kind.replacedBy.includes(name) && !isUnknown(now[name]));
          const isIncomplete = recorded["incomplete"] === true;
          let needsUpdate = isIncomplete || (!checked && drifted.has(id));
          if (checked) {
            const place = { urn, zoneId: now["zoneId"] };
            const report = (findings: readonly Finding[]) =>
              reportOrThrow(run, findings, checked.secrets, place);
            const remediated = remediatedInputs(run, kind.name, withUrn(news, urn));
            if (remediated) {
              refuseRemediated(kind, remediated);
              await report(inspectDeclaration(kind, now, "errors").errors);
              if (changed.length > 0) await report([remediatedFinding(remediated)]);
            }
            const { rivals = [], lost } = kind.claim?.(run, draft, { id, state }) ?? {};
            if (lost) {
              await tell(run, lost, place);
              // The inputs are as they were: only an explicit "changes" makes the engine read "replaces".
              return { changes: true, replaces: [kind.replacedBy[0] ?? "zoneId"] };
            }
            await report(rivals);
            declared.set(urn, { id, state });
            if (kind.onePerZone) holdZone(run, kind.name, now["zoneId"], urn);
            if (replaces.length === 0) {
              const isDue = changed.length > 0 || isIncomplete;
              const compared = { id, state, inputs: checked.recorded ?? recorded, isDue };
              // Whatever the update will need, it will need a connection.
              if (isDue) needConnection(run, now);
              const plan = await planned(() => onResource(urn, () => kind.plan(run, draft, compared)));
              if (plan.needsUpdate && !isDue) needConnection(run, now);
              needsUpdate ||= plan.needsUpdate;
              await report(plan.findings);
            }
          }
          if (isIncomplete && replaces.length === 0) return { changes: true };
          if (changed.length === 0) return { changes: needsUpdate };
          // Without `changes` the engine compares the inputs itself and shows just the ones that differ.
          return replaces.length > 0 ? { replaces } : {};
        },
        secretTextsFor(run, urn),
      );
    },

    async create(news: Properties) {
      const kind = loadKind();
      const urn = carriedUrn(news);
      const inputs = withoutHidden(news);
      if (kind.onePerZone) holdZone(run, kind.name, inputs["zoneId"], urn);
      const { id, state } = await explained(run, urn, news, async () => {
        refuseOffline(run, "Nothing is created");
        const remediated = remediatedInputs(run, kind.name, news);
        if (remediated) {
          refuseRemediated(kind, remediated);
          refuseUnapproved(run, kind.name, remediated, inputs);
          // The check has planned what the program declares.
          const draft = new Draft(kind, inputs, remediated.urn);
          const { errors } = inspectDeclaration(kind, inputs, "errors");
          const found =
            errors.length > 0
              ? errors
              : await createFindings(kind, run, draft, declared.get(urn), stateIn(inputs["zoneId"], urn));
          const { secrets } = checkedResources(run).get(remediated.urn) ?? {
            secrets: { names: [], texts: [] },
          };
          const place = { urn: remediated.urn, zoneId: inputs["zoneId"] };
          await reportOrThrow(run, [...found, remediatedFinding(remediated)], secrets, place);
        }
        return onResource(urn, () =>
          kind.create(run, kind.parseInputs(inputs), urn, stateIn(inputs["zoneId"], urn)),
        );
      });
      return { id, outs: recordedState(state, urn) };
    },

    read(id: string, props: Properties) {
      return asShownError(async () => {
        const kind = loadKind();
        const isGet = props["schemaVersion"] === undefined;
        // In a preview, for a real run is refused: its outputs stay unknown there.
        if (isGet && run.isOffline) return { id, props };
        refuseOffline(run, "Nothing is read");
        // A state of an import file has no version either; unlike a `get` it has what is declared.
        const isRecorded = !isGet || props["zoneId"] !== undefined || props["__import"] === true;
        const result = await kind.read(run, id, readState(kind, props), isRecorded);
        if (result) {
          if (result.hasDrifted) drifted.add(id);
          return {
            id,
            // A refresh clears the engine's note of a failed change: ours must outlive it.
            props: {
              ...recordedState(result.state, carriedUrn(props)),
              ...(props["incomplete"] === true && { incomplete: true }),
            },
            inputs: Object(withoutUndefined(withUrn(result.inputs, carriedUrn(props)))) as Properties,
          };
        }
        if (isGet) {
          throw new CodedError(
            "nothing-to-get",
            `Failed to get the ${declaredKind(kind.name)} ${id}: there is none with this id. It was deleted, or the id belongs to another zone. Correct the id in the program.`,
          );
        }
        return { id: "", props: {} };
      });
    },

    async update(id: string, olds: Properties, news: Properties) {
      const kind = loadKind();
      const urn = carriedUrn(news) || carriedUrn(olds);
      const inputs = withoutHidden(news);
      const state = await explained(run, urn, news, () => {
        refuseOffline(run, "Nothing is updated");
        const remediated = remediatedInputs(run, kind.name, withUrn(news, urn));
        if (remediated) {
          refuseRemediated(kind, remediated);
          refuseUnapproved(run, kind.name, remediated, inputs);
        }
        return onResource(urn, () =>
          kind.update(run, id, readState(kind, olds), kind.parseInputs(inputs), urn),
        );
      });
      return { outs: recordedState(state, urn) };
    },

    delete(id: string, props: Properties) {
      return asShownError(async () => {
        const kind = loadKind();
        refuseOffline(run, "Nothing is deleted");
        await kind.delete(run, id, readState(kind, props), carriedUrn(props));
      });
    },
  };
}

/** Another resource that the program declares for the same zone, of which there is to be one. */
function rivalFindings(
  kind: Kind<unknown, object>,
  run: Run,
  { values: { zoneId }, urn }: Draft<unknown>,
): readonly Finding[] {
  if (!kind.onePerZone || typeof zoneId !== "string" || isUnknown(zoneId)) return [];
  const rival = claimZone(run, kind.name, zoneId, urn);
  return rival === undefined ? [] : [twoForOneZone(kind.name, zoneId, rival)];
}

async function createFindings(
  kind: Kind<unknown, object>,
  run: Run,
  draft: Draft<unknown>,
  replaced: Recorded<object> | undefined,
  inZone: object | undefined,
): Promise<readonly Finding[]> {
  // Also where the zone is not known yet: whatever has to be asked later will need a connection.
  needConnection(run, draft.values);
  const { rivals = [] } = kind.claim?.(run, draft, replaced, replaced !== undefined) ?? {};
  if (rivals.length > 0) return rivals;
  return (await planned(() => kind.plan(run, draft, undefined, inZone))).findings;
}

/** What of a plan needs no request is for the kind to keep. */
async function planned(plan: () => Promise<Plan>): Promise<Plan> {
  try {
    return await plan();
  } catch (error) {
    if (error instanceof OfflineError) return nothingToDo;
    throw error;
  }
}

function needConnection(run: Run, { connection }: Properties): void {
  if (!run.isOffline && !containsUnknown(connection)) run.client(connection as ConnectionArgs | undefined);
}

/** Reports what was found, but for errors, which are to fail the call: it returns their texts. */
async function reported(
  run: Run,
  found: readonly Finding[],
  secrets: Secrets,
  place: FindingPlace,
): Promise<readonly string[]> {
  const findings = withoutSecrets(found, secrets);
  for (const finding of findings) await tell(run, finding, place);
  return errorsOf(findings).map(findingText);
}

/** Reports what was found. @throws ShownError for errors. */
async function reportOrThrow(...found: Parameters<typeof reported>): Promise<void> {
  const errors = await reported(...found);
  if (errors.length > 0) throw new ShownError(errors.join("\n"));
}

function twoForOneZone(kind: string, zoneId: string, rival: string): Finding {
  const declared = declaredKind(kind);
  const by = declared === kind ? rival : declaredAsIn(rival);
  return errorOn(
    "zoneId",
    "two-for-one-zone",
    `the ${declared} of zone ${zoneId} is already declared by ${by}. A zone has only one, and two resources would overwrite each other at each update. Keep one of the two and move what both declare into it.`,
  );
}

/** A failure of the API during `check` is a finding too: thrown, the engine would print its stack. */
async function asFindings(work: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [errorOn("", codeOf(error), messageOf(error))];
  }
}

/** Shortens errors of the methods whose errors the SDK prints a second time, with a stack. */
async function asShownError<T>(work: () => Promise<T>, secretTexts: SecretTexts = []): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw shownError(error, secretTexts);
  }
}

/** An error as the engine is to show it: on its resource, once. */
class ShownError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "pulumi-page-guard";
    // The SDK prints the stack once more, for the whole stack of resources.
    this.stack = "(shown with the resource)";
  }
}

function shownError(error: unknown, secretTexts: SecretTexts): ShownError {
  if (error instanceof ShownError) return error;
  return new ShownError(withCode(textWithoutSecrets(messageOf(error), secretTexts), codeOf(error)), error);
}

/** Explains failures of create and update. Never rejects with a non-error: the SDK would wait for ever. */
async function explained<T>(
  run: Run,
  urn: string,
  { __provider, zoneId }: Properties,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const secretTexts = secretTextsFor(run, urn);
    const message = textWithoutSecrets(messageOf(error), secretTexts);
    const code = codeOf(error instanceof PartialFailureError ? error.cause : error);
    writeFinding(errorOn("", code, message), { urn, zoneId });
    if (error instanceof PartialFailureError) {
      error.reasons = error.reasons.map((reason) => textWithoutSecrets(reason, secretTexts));
      // The SDK adds the provider's text to results only. Without it no refresh and no destroy could load the provider.
      error.properties = {
        ...withUrn(withVersion(error.properties), urn),
        ...(__provider !== undefined && { __provider }),
      };
      throw error;
    }
    throw shownError(error, secretTexts);
  }
}

function recordedState(state: object, urn: string): Record<string, unknown> {
  const { incomplete: _done, ...rest } = withVersion(state);
  return Object(withoutUndefined(withUrn(rest, urn))) as Record<string, unknown>;
}
