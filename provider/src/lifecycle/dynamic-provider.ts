import type * as pulumi from "@pulumi/pulumi";
import type { ConnectionArgs } from "../api/client-types";
import { withCode } from "../text/with-code";
import { changing } from "./approval/changing";
import { noteSecrets } from "./approval/note-secrets";
import { checkInputs } from "./check-inputs";
import { checkedResources, secretTextsFor } from "./checked-resources";
import { CodedError } from "./coded-error";
import { declaredKind } from "./declared-as";
import { errorsOf, type Finding, findingText } from "./finding";
import { writeFinding } from "./findings-file";
import { carriedUrn, withoutHidden, withUrn } from "./hidden-inputs";
import type { Kind, Properties } from "./kind";
import { codeOf, messageOf } from "./message-of";
import { refuseOffline, whereOnline } from "./offline";
import { onResource } from "./on-resource";
import { PartialFailure } from "./partial-failure";
import type { Run, StackConfig } from "./run";
import { type SecretTexts, secretsOf, textWithoutSecrets, withoutSecrets } from "./secret-inputs";
import { ShownError } from "./shown-error";
import { readInputs, readState, upgradeState, withoutUndefined, withVersion } from "./state";
import { tell } from "./tell";
import { containsUnknown, isUnknown } from "./unknown";
import { declaredAsIn } from "./urn";
import { claimZone, holdZone, releaseZone } from "./zone-claims";

/** A run, and the door by which the engine's `configure` reaches it. */
export interface ConfigurableRun extends Run {
  useConfig(config: StackConfig): void;
}

/** The lifecycle that the engine calls, made of what a kind decides and what all kinds share. */
export function dynamicProvider<Inputs, State extends object>(
  loadKind: () => Kind<Inputs, State>,
  run: ConfigurableRun,
): pulumi.dynamic.ResourceProvider {
  /** What is on record of objects that the program of this run declares, by URN. */
  const declared = new Map<string, { readonly id: string; readonly state: State }>();

  /** Ids that a read of this run found changed where no input shows it. */
  const drifted = new Set<string>();

  return {
    async configure({ config }: pulumi.dynamic.ConfigureRequest) {
      run.useConfig((key) => config.get(`page-guard:${key}`));
    },

    async check(olds: Properties, news: Properties) {
      const kind = loadKind();
      const { __beside, __secrets } = news;
      const declaredInputs = withoutHidden(news);
      let inputs = declaredInputs;
      const secrets = secretsOf(__secrets, declaredInputs);
      const urn = carriedUrn(news);
      if (__beside !== undefined) kind.noteBeside?.(run, urn, __beside);
      const before = Object.keys(olds).length === 0 ? undefined : withoutHidden(olds);
      // The engine checks a second time, without old inputs, before it replaces what it has just compared.
      const replaced = before === undefined ? declared.get(urn) : undefined;
      if (replaced !== undefined) {
        kind.noteReplaced?.(run, replaced.id, replaced.state, urn);
        releaseZone(run, kind.name, news["zoneId"]);
      }
      const found = await asFindings(async () => {
        if (before !== undefined) readInputs(kind, before);
        inputs = kind.inRecordedWords?.(before ?? {}, declaredInputs) ?? declaredInputs;
        return onResource(urn, () => findingsOf(kind, run, { before, now: inputs, urn }));
      });
      const findings = found.map((finding) => withoutSecrets(finding, secrets));
      for (const finding of findings) await tell(run, finding, { urn, zoneId: inputs["zoneId"] });
      checkedResources(run).set(urn, secrets);
      await noteSecrets(run, urn, secrets.names, inputs);
      return {
        inputs: withUrn(inputs, urn),
        // Only the empty property prints a text without the (possibly secret) value of an input.
        failures: errorsOf(findings).map((finding) => ({ property: "", reason: findingText(finding) })),
      };
    },

    diff(id: string, olds: Properties, news: Properties) {
      const urn = carriedUrn(news);
      return shown(
        async () => {
          const kind = loadKind();
          const now = withoutHidden(news);
          const recorded = upgradeState(olds, kind.name);
          const state = readState(kind, olds);
          const secrets = checkedResources(run).get(urn);
          const taken = secrets && kind.whyTaken?.(run, id, urn);
          if (taken) {
            await tell(run, taken, { urn, zoneId: now["zoneId"] });
            // The inputs are as they were: only an explicit "changes" makes the engine look at "replaces".
            return { changes: true, replaces: [kind.replacedBy[0] ?? "zoneId"] };
          }
          if (secrets) {
            kind.noteDeclared?.(run, id, state, urn, now);
            declared.set(urn, { id, state });
            holdZone(run, kind.name, now["zoneId"], urn);
          }
          const changed = kind.changedInputs(recorded, now);
          const replaces = changed.filter((name) => kind.replacedBy.includes(name) && !isUnknown(now[name]));
          const isIncomplete = recorded["incomplete"] === true;
          let needsUpdate = isIncomplete;
          if (secrets && replaces.length === 0) {
            const findings = [
              ...(await whereOnline(async () => {
                const looked = await onResource(urn, () => kind.look?.(run, id, state, now, urn));
                needsUpdate ||= looked?.needsUpdate ?? false;
                return looked?.findings;
              })),
            ];
            if (changed.length > 0 || needsUpdate) {
              if (!run.isOffline && !containsUnknown(now["connection"])) {
                // Whatever the update will need, it will need a connection.
                run.client(now["connection"] as ConnectionArgs | undefined);
              }
              const before = () => kind.beforeUpdate?.(run, id, state, now, urn);
              findings.push(...(await whereOnline(() => onResource(urn, before))));
            }
            const told = findings.map((finding) => withoutSecrets(finding, secrets));
            const errors = errorsOf(told);
            for (const finding of errors.length > 0 ? errors : told)
              await tell(run, finding, { urn, zoneId: now["zoneId"] });
            if (errors.length > 0) throw new ShownError(errors.map(findingText).join("\n"), undefined);
          }
          if (isIncomplete && replaces.length === 0) return { changes: true };
          if (changed.length === 0) return { changes: needsUpdate || (!secrets && drifted.has(id)) };
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
      holdZone(run, kind.name, inputs["zoneId"], urn);
      const { id, state } = await explained(run, news, () =>
        changing(run, { act: "create", kind: kind.name, urn, inputs, recorded: {} }, () =>
          onResource(urn, () => kind.create(run, kind.parseInputs(inputs), urn)),
        ),
      );
      return { id, outs: recordedState(state, urn) };
    },

    read(id: string, props: Properties) {
      return shown(async () => {
        const kind = loadKind();
        const isGet = props["schemaVersion"] === undefined;
        // In a preview, for a real run is refused: its outputs stay unknown there.
        if (isGet && run.isOffline) return { id, props };
        refuseOffline(run, "Nothing is read");
        const result = await kind.read(run, id, readState(kind, props));
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
            `There is no ${declaredKind(kind.name)} with the id ${id}. It was deleted, or the id belongs to another zone; look the id up and correct it in the program.`,
          );
        }
        return { id: "", props: {} };
      });
    },

    async update(id: string, olds: Properties, news: Properties) {
      const kind = loadKind();
      const urn = carriedUrn(news);
      const inputs = withoutHidden(news);
      const state = await explained(run, news, () =>
        changing(run, { act: "update", kind: kind.name, urn, id, inputs, recorded: olds }, () =>
          onResource(urn, () => kind.update(run, id, readState(kind, olds), kind.parseInputs(inputs), urn)),
        ),
      );
      return { outs: recordedState(state, urn) };
    },

    delete(id: string, props: Properties) {
      return shown(() => {
        const kind = loadKind();
        return changing(run, { act: "delete", kind: kind.name, id, inputs: {}, recorded: props }, () =>
          kind.delete(run, id, readState(kind, props)),
        );
      });
    },
  };
}

async function findingsOf<Inputs, State>(
  kind: Kind<Inputs, State>,
  run: Run,
  proposal: { readonly before: Properties | undefined; readonly now: Properties; readonly urn: string },
): Promise<readonly Finding[]> {
  const { before, now, urn } = proposal;
  const offline = errorsOf([...checkInputs(kind.shape, now), ...(kind.inspect?.(now, "errors") ?? [])]);
  if (offline.length > 0) return offline;
  const isRelevant = before === undefined || (kind.matters?.(before, now) ?? false);
  const mayAsk = isRelevant && !containsUnknown(now["connection"]);
  // Also where the zone is not known yet: whatever has to be asked later will need a connection.
  if (mayAsk && !run.isOffline) run.client(now["connection"] as ConnectionArgs | undefined);
  const zoneId = now["zoneId"];
  const unlooked = () => (isRelevant ? (kind.unlooked?.(run, proposal) ?? []) : []);
  if (typeof zoneId !== "string" || isUnknown(zoneId)) return unlooked();
  const rival = kind.onePerZone ? claimZone(run, kind.name, zoneId, urn) : undefined;
  if (rival !== undefined) return [twoForOneZone(kind.name, zoneId, rival)];
  const rivals = kind.rivals?.(run, now, urn) ?? [];
  if (rivals.length > 0) return rivals;
  if (!mayAsk) return unlooked();
  return whereOnline(() => kind.preflight?.(run, proposal));
}

function twoForOneZone(kind: string, zoneId: string, rival: string): Finding {
  const declared = declaredKind(kind);
  const by = declared === kind ? rival : declaredAsIn(rival);
  return {
    severity: "error",
    code: "two-for-one-zone",
    property: "zoneId",
    message: `zone ${zoneId} has its ${declared} declared already, by ${by}. A zone has just one, and two resources would overwrite each other at each update. Keep one of the two and move what both declare into it.`,
  };
}

/** A failure of the API during `check` is a finding too: thrown, the engine would print its stack. */
async function asFindings(work: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [{ severity: "error", code: codeOf(error), property: "", message: messageOf(error) }];
  }
}

/** For the methods whose errors the SDK prints a second time, with a stack. */
async function shown<T>(work: () => Promise<T>, secretTexts: SecretTexts = []): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw shownError(error, secretTexts);
  }
}

function shownError(error: unknown, secretTexts: SecretTexts): ShownError {
  if (error instanceof ShownError) return error;
  return new ShownError(withCode(textWithoutSecrets(messageOf(error), secretTexts), codeOf(error)), error);
}

/** For create and update. Never rejects with a non-error: the SDK would wait for ever. */
async function explained<T>(run: Run, news: Properties, work: () => Promise<T>): Promise<T> {
  const { __provider, zoneId } = news;
  const urn = carriedUrn(news);
  try {
    return await work();
  } catch (error) {
    const secretTexts = secretTextsFor(run, urn);
    const message = textWithoutSecrets(messageOf(error), secretTexts);
    const code = codeOf(error instanceof PartialFailure ? error.cause : error);
    writeFinding({ severity: "error", code, property: "", message }, { urn, zoneId });
    if (error instanceof PartialFailure) {
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
