import type * as pulumi from "@pulumi/pulumi";
import type { Finding } from "../model/finding";
import type { Properties } from "../model/properties";
import { isUnknown } from "../model/unknown";
import { Draft } from "./draft";
import { reportOrThrow, shortenTraces } from "./failures";
import { tell } from "./findings-file";
import { readCarriedUrn, withoutHidden, withUrn } from "./hidden-inputs";
import { inspectDeclaration } from "./inspect-declaration";
import { nothingToDo } from "./kind";
import type { KindSession } from "./kind-session";
import { whereOnline } from "./offline";
import { needConnection } from "./plan-create";
import { refuseRemediated, remediatedFinding, remediatedInputs } from "./remediated-inputs";
import { onResource } from "./run";
import { type Checked, checkedResources, recallSecretTexts } from "./secret-inputs";
import { readRecordedInputs, upgradeState } from "./state";
import { holdZone } from "./zone-claims";

type InputComparison = ReturnType<typeof makeComparison>;

/** Implements `diff`: compares the state with the program. In a preview or an update, also plans the update. */
export function compare(
  session: KindSession,
  id: string,
  olds: Properties,
  news: Properties,
): Promise<pulumi.dynamic.DiffResult> {
  // A policy pack can drop properties that it does not know, such as the URN.
  const urn = readCarriedUrn(news) || readCarriedUrn(olds);
  return shortenTraces(
    async () => {
      const comparison = makeComparison(session, id, urn, olds, withoutHidden(news));
      const { changed, replaces, isIncomplete } = comparison;
      // Only a preview or an update calls `check` before `diff`. In a refresh, `diff` makes no plan and sends no request.
      const checked = checkedResources(session.run).get(urn);
      const planned = checked && (await planUpdate(session, comparison, checked, withUrn(news, urn)));
      if (planned?.lost) {
        // If the inputs are unchanged, the engine reads `replaces` only together with an explicit `changes`.
        return { changes: true, replaces: [session.kind.replacedBy[0] ?? "zoneId"] };
      }
      if (isIncomplete && replaces.length === 0) return { changes: true };
      if (changed.length === 0) {
        return { changes: isIncomplete || (planned ? planned.needsUpdate : session.drifted.has(id)) };
      }
      // Without `changes` the engine compares the inputs itself and shows only the inputs that differ.
      return replaces.length > 0 ? { replaces } : {};
    },
    recallSecretTexts(session.run, urn),
  );
}

function makeComparison({ kind }: KindSession, id: string, urn: string, olds: Properties, now: Properties) {
  const recorded = upgradeState(olds, kind.name);
  const state = readRecordedInputs(kind, recorded);
  const draft = new Draft(kind, now, urn);
  const changed = kind.changedInputs({ state, values: now });
  const replaces = changed.filter((name) => kind.replacedBy.includes(name) && !isUnknown(now[name]));
  const isIncomplete = recorded["incomplete"] === true;
  return { id, urn, state, recorded, draft, now, changed, replaces, isIncomplete };
}

/** Claims the object and plans its update. `lost`: whether another resource claimed the object first. `needsUpdate`: see `Plan`. */
async function planUpdate(
  session: KindSession,
  comparison: InputComparison,
  checked: Checked,
  news: Properties,
): Promise<{ readonly lost?: boolean; readonly needsUpdate: boolean }> {
  const { kind, run, declared } = session;
  const { id, urn, state, draft, now, replaces } = comparison;
  const place = { urn, zoneId: now["zoneId"] };
  const report = (findings: readonly Finding[]) => reportOrThrow(run, findings, checked.secrets, place);
  await reportRemediated(session, comparison, news, report);
  const { rivals = [], lost } = kind.claim?.({ run, draft, recorded: { id, state } }) ?? {};
  if (lost) {
    await tell(run, lost, place);
    return { lost: true, needsUpdate: true };
  }
  await report(rivals);
  declared.set(urn, { id, state });
  if (kind.onePerZone) holdZone(run, kind.name, now["zoneId"], urn);
  // For a replacement, the engine calls `check` again, as for a new resource. That call plans the replacement.
  if (replaces.length > 0) return { needsUpdate: false };
  const plan = await updatePlan(session, comparison, checked);
  await report(plan.findings);
  return { needsUpdate: plan.needsUpdate };
}

async function reportRemediated(
  { kind, run }: KindSession,
  { now, changed }: InputComparison,
  news: Properties,
  report: (findings: readonly Finding[]) => Promise<void>,
): Promise<void> {
  const remediated = remediatedInputs(run, kind, news);
  if (remediated === undefined) return;
  refuseRemediated(kind.name, remediated);
  await report(inspectDeclaration(kind, now, "errors").errors);
  if (changed.length > 0) await report([remediatedFinding(remediated)]);
}

async function updatePlan(
  { kind, run }: KindSession,
  { id, urn, state, recorded, draft, now, changed, isIncomplete }: InputComparison,
  checked: Checked,
) {
  const isDue = changed.length > 0 || isIncomplete;
  const compared = { id, state, inputs: checked.recorded ?? recorded, isDue };
  const ask = () => onResource(urn, () => kind.plan({ run, draft, recorded: compared }));
  const plan = await whereOnline(ask, nothingToDo);
  // The update will send requests, so a missing token must make the preview fail.
  if (isDue || plan.needsUpdate) needConnection(run, now);
  return plan;
}
