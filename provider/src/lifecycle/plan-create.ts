import type { ConnectionArgs } from "../api/client-types";
import { type Finding, makeError } from "../model/finding";
import type { Properties } from "../model/properties";
import { containsUnknown, isUnknown } from "../model/unknown";
import { declaredKind, readDeclaredAs } from "../model/urn";
import type { Draft } from "./draft";
import { type Kind, nothingToDo } from "./kind";
import type { KindSession } from "./kind-session";
import { whereOnline } from "./offline";
import type { Run } from "./run";
import { claimZone } from "./zone-claims";

/** Plans a create, and returns its findings. The new object may replace an object in the state. */
export async function createFindings(
  session: KindSession,
  draft: Draft<unknown>,
): Promise<readonly Finding[]> {
  const { kind, run } = session;
  const { urn, values } = draft;
  // The create will send requests, even if this plan cannot send any because the zone is not known yet.
  needConnection(run, values);
  const recorded = session.declared.get(urn);
  const { rivals = [] } = kind.claim?.({ run, draft, recorded, isReplaced: recorded !== undefined }) ?? {};
  if (rivals.length > 0) return rivals;
  const replaced = session.findState(values["zoneId"], urn);
  const predecessor = () => session.findPredecessor(values["zoneId"], urn);
  const ask = () => kind.plan({ run, draft, replaced, predecessor });
  return (await whereOnline(ask, nothingToDo)).findings;
}

/** Creates the client, so that a missing token or a wrong URL makes the preview fail. @throws PageGuardError */
export function needConnection(run: Run, { connection }: Properties): void {
  if (!run.isOffline && !containsUnknown(connection)) run.client(connection as ConnectionArgs | undefined);
}

/** Claims the zone if it can have only one resource of this kind. Returns an error if another resource has claimed the zone. */
export function rivalFindings(
  kind: Kind<unknown, object>,
  run: Run,
  { values: { zoneId }, urn }: Draft<unknown>,
): readonly Finding[] {
  if (!kind.onePerZone || typeof zoneId !== "string" || isUnknown(zoneId)) return [];
  const rival = claimZone(run, kind.name, zoneId, urn);
  if (rival === undefined) return [];
  const declared = declaredKind(kind.name);
  const by = declared === kind.name ? rival : readDeclaredAs(rival);
  const message = `the ${declared} of zone ${zoneId} is already declared by ${by}. A zone has only one, and two resources would overwrite each other at each update. Keep one of the two resources, and merge the other into it.`;
  return [makeError("zoneId", "two-for-one-zone", message)];
}
