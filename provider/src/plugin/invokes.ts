import { readErrorCode } from "../errors/coded-error";
import { withClients } from "../functions/call";
import * as reads from "../functions/reads";
import type { Run } from "../lifecycle/run";
import type { Properties } from "../model/properties";
import { readMessage, withoutFields } from "../text/data";
import { withCode } from "../text/message";
import { readGivenValues } from "./wire";

interface Served {
  /** The function to call. It checks its own arguments. */
  readonly ask: (args: never) => Promise<object>;
  /** Name of the field that contains a list, because a function of a plugin must return an object. */
  readonly list?: string;
}

export const invokes: Readonly<Record<string, Served>> = {
  getSettings: { ask: reads.getSettings },
  getScripts: { ask: reads.getScripts, list: "scripts" },
  getScript: { ask: reads.getScript },
  getConnections: { ask: reads.getConnections, list: "connections" },
  getConnection: { ask: reads.getConnection },
  getCookies: { ask: reads.getCookies, list: "cookies" },
  getCookie: { ask: reads.getCookie },
  getPolicies: { ask: reads.getPolicies, list: "policies" },
  getPolicy: { ask: reads.getPolicy },
  getEntrypoint: { ask: reads.getEntrypoint },
  getWafCompatibility: { ask: reads.getWafCompatibility },
  getWafConfiguration: { ask: reads.getWafConfiguration },
  getWafStatus: { ask: reads.getWafStatus },
};

/** Calls a function with the clients of the run, so that functions and resources share one rate limit. */
export async function invoke(run: Run, name: string, args: Properties): Promise<Properties> {
  const served = Object.hasOwn(invokes, name) ? invokes[name] : undefined;
  if (!served) throw new Error(`The plugin page-guard has no function ${name}.`);
  const { ask, list } = served;
  try {
    const result = await withClients(run.client, () => ask(readGivenValues(args) as never));
    return Object(withoutFields(list === undefined ? result : { [list]: result }, undefined)) as Properties;
  } catch (error) {
    throw new Error(withCode(readMessage(error), readErrorCode(error)), { cause: error });
  }
}
