import type { PageGuardClient } from "../../api/client-types";
import type { Run } from "../../lifecycle/run";
import { type Position, position } from "./decision";
import { type Look, look } from "./observe";
import { asRule, isSameList } from "./rules";
import type { Inputs, State } from "./state";

/** Where a zone stands: what one look has shown, and what that means with what we know of it. */
export interface Standing extends Look {
  readonly at: Position;
}

/** What an update of a migration works with, from its beginning to its end. */
export interface Work {
  readonly run: Run;
  readonly client: PageGuardClient;
  readonly inputs: Inputs;
  readonly urn: string;
}

/** The only place that tells where a zone stands: once a look. Everybody else is handed the answer. */
export async function standing(
  run: Run,
  client: PageGuardClient,
  zoneId: string,
  record: State,
): Promise<Standing> {
  const found = await look(client, zoneId);
  const sent = record.applied?.rules.map(asRule);
  const around = { now: run.now(), isListAsSent: sent !== undefined && isSameList(sent, found.rules) };
  return { ...found, at: position(found.seen, record, around) };
}

export function workOf(run: Run, inputs: Inputs, urn: string): Work {
  return { run, client: run.client(inputs.connection), inputs, urn };
}
