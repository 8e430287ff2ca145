import { z } from "zod";
import type { Script } from "../../api/client-types";
import { ItemGoneError } from "../../errors/item-gone-error";
import { allInFlight } from "../../lifecycle/in-flight";
import { jsonOf } from "../../text/json-of";
import { writeText } from "../output";
import type { ReadClient } from "../reader";
import type { Session } from "../session";
import type { ZoneRef } from "../zones";
import { readInventory } from "./place";

/** The client has no more requests under way. */
const atOnce = 16;
/** What is kept where a run is cut off. */
const savedEvery = 500;

/** A field that is not there is absent, as in an item of the service. */
const versionSchema = z.object({ hash: z.string().exactOptional(), fetchedAt: z.string().exactOptional() });
const keptSchema = z.record(
  z.string(),
  z.object({
    /** What the list said when it was read: the same again means that there is no new version. */
    of: z.string(),
    pageUrls: z.array(z.string()).exactOptional(),
    versions: z.array(versionSchema).exactOptional(),
  }),
);
type Kept = z.infer<typeof keptSchema>;

/** What is known of a zone's scripts from earlier runs, and what is missing: one request each. */
export function planVersions(session: Session, zone: ZoneRef, scripts: readonly Script[], folder: string) {
  const before = keptIn(session, folder, zone);
  const kept: Kept = Object.create(null);
  for (const { id } of scripts) if (before[id]) kept[id] = before[id];
  return { kept, missing: scripts.filter((script) => kept[script.id]?.of !== versionOf(script)) };
}

/** The scripts with their earlier versions and all their pages: one request for each that has changed since the last run. */
export async function withVersions(
  session: Session,
  client: Pick<ReadClient, "getItem">,
  zone: ZoneRef,
  scripts: readonly Script[],
  folder: string,
  { kept, missing }: ReturnType<typeof planVersions>,
): Promise<readonly Script[]> {
  let read = 0;
  const save = () => writeText(session, fileOfZone(folder, zone), `${JSON.stringify(kept)}\n`);
  try {
    await allInFlight(atOnce, missing, async (script) => {
      const one = await itemOf(client, zone, script);
      kept[script.id] = {
        of: versionOf(script),
        ...(one?.pageUrls && { pageUrls: [...one.pageUrls] }),
        ...(one?.versions && {
          versions: one.versions.map(({ hash, fetchedAt }) => ({
            ...(hash && { hash }),
            ...(fetchedAt && { fetchedAt }),
          })),
        }),
      };
      read += 1;
      if (read % savedEvery === 0) save();
    });
  } finally {
    if (read > 0) save();
  }
  return scripts.map((script) => {
    const { of: _, ...known } = kept[script.id] ?? {};
    return { ...script, ...known };
  });
}

/** An item may go while the list is read. */
async function itemOf(
  client: Pick<ReadClient, "getItem">,
  zone: ZoneRef,
  { id }: Script,
): Promise<Script | undefined> {
  try {
    return await client.getItem("scripts", zone.id, id);
  } catch (error) {
    if (error instanceof ItemGoneError) return undefined;
    throw error;
  }
}

function versionOf({ hash, fetchedAt }: Script): string {
  return `${hash ?? ""} ${fetchedAt ?? ""}`;
}

/** What can't be read is read from the service again. */
function keptIn(session: Session, folder: string, zone: ZoneRef): Kept {
  const text = readInventory(session, fileOfZone(folder, zone));
  const read = keptSchema.safeParse(text === undefined ? {} : jsonOf(text));
  return Object.assign(Object.create(null), read.data);
}

/** Of several zones each has its own. */
function fileOfZone(folder: string, { id }: ZoneRef): string {
  return `${folder}/${id}.json`;
}
