import type * as pulumi from "@pulumi/pulumi";
import { CodedError } from "../errors/coded-error";
import type { Properties } from "../model/properties";
import { declaredKind } from "../model/urn";
import { withoutFields } from "../text/data";
import { checkInputs } from "./check";
import { compare } from "./diff";
import { Draft } from "./draft";
import { explainFailure, reportOrThrow, shortenTraces } from "./failures";
import { readCarriedUrn, withoutHidden, withUrn } from "./hidden-inputs";
import { inspectDeclaration } from "./inspect-declaration";
import type { Kind } from "./kind";
import { KindSession } from "./kind-session";
import { refuseOffline } from "./offline";
import { createFindings } from "./plan-create";
import {
  type Remediated,
  refuseRemediated,
  refuseUnapproved,
  remediatedFinding,
  remediatedInputs,
} from "./remediated-inputs";
import { onResource, type Run } from "./run";
import { checkedResources } from "./secret-inputs";
import { readState, withVersion } from "./state";
import { holdZone } from "./zone-claims";

/** Creates the lifecycle that the engine calls, from a kind and the code that all kinds share. */
export function dynamicProvider(
  loadKind: () => Kind<unknown, object>,
  run: Run,
): Required<pulumi.dynamic.ResourceProvider> {
  const session = new KindSession(loadKind, run);
  return {
    async configure({ config }: pulumi.dynamic.ConfigureRequest) {
      run.useConfig((key) => config.get(`page-guard:${key}`));
    },
    check: (olds: Properties, news: Properties) => checkInputs(session, olds, news),
    diff: (id: string, olds: Properties, news: Properties) => compare(session, id, olds, news),
    create: (news: Properties) => create(session, news),
    read: (id: string, props: Properties) => shortenTraces(() => read(session, id, props)),
    update: (id: string, olds: Properties, news: Properties) => update(session, id, olds, news),
    delete: (id: string, props: Properties) =>
      shortenTraces(async () => {
        refuseOffline(run, "Nothing is deleted");
        const { kind } = session;
        await kind.delete({ run, id, state: readState(kind, props), urn: readCarriedUrn(props) });
      }),
  };
}

async function create(session: KindSession, news: Properties): Promise<pulumi.dynamic.CreateResult> {
  const { kind, run } = session;
  const urn = readCarriedUrn(news);
  const inputs = withoutHidden(news);
  const { id, state } = await explainFailure(run, urn, news, async () => {
    refuseOffline(run, "Nothing is created");
    const remediated = approvedRemediation(session, news, inputs);
    if (remediated) await planRemediated(session, remediated, inputs);
    if (kind.onePerZone) holdZone(run, kind.name, inputs["zoneId"], urn);
    const replaced = session.findState(inputs["zoneId"], urn);
    const predecessor = () => session.findPredecessor(inputs["zoneId"], urn);
    const request = { run, inputs: kind.parseInputs(inputs), urn, replaced, predecessor };
    return onResource(urn, () => kind.create(request));
  });
  return { id, outs: recordedState(state, urn) };
}

async function update(
  session: KindSession,
  id: string,
  olds: Properties,
  news: Properties,
): Promise<pulumi.dynamic.UpdateResult> {
  const { kind, run } = session;
  const urn = readCarriedUrn(news) || readCarriedUrn(olds);
  const inputs = withoutHidden(news);
  const state = await explainFailure(run, urn, news, () => {
    refuseOffline(run, "Nothing is updated");
    approvedRemediation(session, withUrn(news, urn), inputs);
    const before = { id, state: readState(kind, olds) };
    return onResource(urn, () => kind.update({ run, ...before, inputs: kind.parseInputs(inputs), urn }));
  });
  return { outs: recordedState(state, urn) };
}

async function read(
  { kind, run, drifted }: KindSession,
  id: string,
  props: Properties,
): Promise<pulumi.dynamic.ReadResult> {
  const isGet = props["schemaVersion"] === undefined;
  // In an offline preview, the outputs of `get` stay unknown. An offline update of a TypeScript program fails earlier.
  if (isGet && run.isOffline) return { id, props };
  refuseOffline(run, "Nothing is read");
  // The state of a `get` has no `schemaVersion`. Neither has a state from an import file that a person wrote, but that state contains
  // declared inputs, such as `zoneId`. `isRead` marks a state that a `get` has stored and that a refresh now reads again.
  const isRecorded =
    props["isRead"] !== true && (!isGet || props["zoneId"] !== undefined || props["__import"] === true);
  const result = await kind.read({ run, id, state: readState(kind, props), isRecorded });
  if (result === undefined) {
    if (!isGet) return { id: "", props: {} };
    throw new CodedError(
      "nothing-to-get",
      `Failed to get the ${declaredKind(kind.name)} ${id}: it does not exist. It was deleted, or the id belongs to another zone. Correct the id in the program.`,
    );
  }
  if (result.hasDrifted) drifted.add(id);
  const urn = readCarriedUrn(props);
  return {
    id,
    props: {
      ...recordedState(result.state, urn),
      // A refresh clears the engine's record of a failed change, so the state keeps a record of its own.
      ...(props["incomplete"] === true && { incomplete: true }),
      ...(!isRecorded && { isRead: true }),
    },
    inputs: withoutFields(withUrn(result.inputs, urn), undefined),
  };
}

/** Returns the inputs that a policy pack changed after the check. @throws CodedError if the kind or the approval forbids them */
function approvedRemediation(
  { kind, run }: KindSession,
  news: Properties,
  inputs: Properties,
): Remediated | undefined {
  const remediated = remediatedInputs(run, kind, news);
  if (remediated) refuseRemediated(kind.name, remediated);
  // If a transform dropped the URN and no pack changed an input, the URN is unknown, and so is the approval.
  const urn = readCarriedUrn(news) || remediated?.urn;
  if (urn !== undefined) refuseUnapproved(run, kind.name, urn, inputs);
  return remediated;
}

/** Plans a create with inputs that a policy pack changed. `check` has planned only the create with the declared inputs. */
async function planRemediated(
  session: KindSession,
  remediated: Remediated,
  inputs: Properties,
): Promise<void> {
  const { kind, run } = session;
  const { urn } = remediated;
  const draft = new Draft(kind, inputs, urn);
  const { errors } = inspectDeclaration(kind, inputs, "errors");
  const found = errors.length > 0 ? errors : await createFindings(session, draft);
  const { secrets } = checkedResources(run).get(urn) ?? { secrets: { names: [], texts: [] } };
  const place = { urn, zoneId: inputs["zoneId"] };
  await reportOrThrow(run, [...found, remediatedFinding(remediated)], secrets, place);
}

function recordedState(state: object, urn: string): Properties {
  const { incomplete: _done, ...rest } = withVersion(state);
  return withoutFields(withUrn(rest, urn), undefined);
}
