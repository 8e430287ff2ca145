import type { ConnectionArgs } from "../api/client-types";
import { OfflineError } from "../errors/page-guard-error";
import { type Finding, makeError } from "../model/finding";
import type { Properties } from "../model/properties";
import { containsUnknown, isUnknown } from "../model/unknown";
import { declaredKind, readDeclaredAs } from "../model/urn";
import type { Draft } from "./draft";
import { type Kind, nothingToDo, type Plan } from "./kind";
import type { KindSession } from "./kind-session";
import type { Run } from "./run";
import { claimZone } from "./zone-claims";

/** Returns the findings of a create. The new object can replace an object in the state. */
export async function createFindings(
  session: KindSession,
  draft: Draft<unknown>,
): Promise<readonly Finding[]> {
  const { kind, run } = session;
  const { urn, values } = draft;
  // Even if the zone is not known yet, later requests will need a connection.
  needConnection(run, values);
  const recorded = session.declared.get(urn);
  const { rivals = [] } = kind.claim?.({ run, draft, recorded, isReplaced: recorded !== undefined }) ?? {};
  if (rivals.length > 0) return rivals;
  const replaced = session.findState(values["zoneId"], urn);
  return (await planOnline(() => kind.plan({ run, draft, replaced }))).findings;
}

/** Runs `plan`. Returns an empty plan if no request may be sent; the finding `offline` has warned about that. */
export async function planOnline(plan: () => Promise<Plan>): Promise<Plan> {
  try {
    return await plan();
  } catch (error) {
    if (error instanceof OfflineError) return nothingToDo;
    throw error;
  }
}

/** Creates the client, so that a missing token or a wrong URL fails the preview. @throws PageGuardError */
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
  return rival === undefined ? [] : [twoForOneZone(kind.name, zoneId, rival)];
}

function twoForOneZone(kind: string, zoneId: string, rival: string): Finding {
  const declared = declaredKind(kind);
  const by = declared === kind ? rival : readDeclaredAs(rival);
  return makeError(
    "zoneId",
    "two-for-one-zone",
    `the ${declared} of zone ${zoneId} is already declared by ${by}. A zone has only one, and two resources would overwrite each other at each update. Keep one of the two resources, and merge the other into it.`,
  );
}
