import { existsSync } from "node:fs";
import { join } from "node:path";
import { z, zoneIdOf } from "pulumi-page-guard/tools";
import { parseDocument } from "yaml";
import { CommandError } from "./command-error";
import { isZoneName, type ZoneFlags, type ZoneRef, zoneNameRule } from "./options";
import { readBytes } from "./read-text";
import { forTerminal } from "./reports/escape";
import type { Session } from "./session";
import { UsageError } from "./usage-error";

export type { ZoneRef };

/** Few: requests of a zone overlap already, and the rate limit is shared. */
export const zonesAtOnce = 4;

const fileSchema = z.array(
  z.strictObject({
    id: z.string(),
    name: z.string().optional(),
    tags: z.union([z.array(z.string()), z.record(z.string(), z.string())]).optional(),
    // Of `page-guard fleet`, which checks them.
    hosts: z.unknown().optional(),
    wave: z.unknown().optional(),
    stage: z.unknown().optional(),
  }),
);

/** The zones of `--zone` and `--zones`, each once, with their names. @throws CommandError */
export function zonesOf(session: Session, flags: ZoneFlags): readonly ZoneRef[] {
  const named = namesOf(session, flags);
  const ids = [...new Set([...(flags.zone ?? []), ...listed(session, flags).map(({ id }) => id)])];
  return ids.map((id) => ({ id, name: named(id) }));
}

/** As `zonesOf`, for commands that need a zone. */
export function someZones(session: Session, flags: ZoneFlags): readonly ZoneRef[] {
  const zones = zonesOf(session, flags);
  if (zones.length > 0) return zones;
  throw new UsageError(
    "No zone is given. Name one with --zone ID (repeatable), or a list with --zones FILE. The dashboard shows the id on the overview page of a zone.",
  );
}

/**
 * What people read in place of a zone's id: `namesOf(session)(id)` is `shop-de`, or the id of a zone without a name. Names come
 * from the flags, if the command has them, else from a `zones.yaml` in the working directory, which gives names and
 * nothing else. Ask once for a run of the command; keep ids for machines and for keys.
 *
 * @throws CommandError for a `zones.yaml` that is not a list of zones.
 */
export function namesOf(session: Session, flags: ZoneFlags = {}): (id: string) => string {
  const names = new Map<string, string>();
  for (const { id, name } of [...listed(session, flags), ...(flags.name ?? [])]) {
    if (name !== undefined) names.set(id, name);
  }
  const given = new Set([...names.values()].map((name) => name.toLowerCase()));
  for (const { id, name } of foundZones(session, flags)) {
    if (name !== undefined && !names.has(id) && !given.has(name.toLowerCase())) names.set(id, name);
  }
  const owners = new Map<string, string>();
  for (const [id, name] of names) {
    const other = owners.get(name.toLowerCase());
    if (other !== undefined) {
      throw new UsageError(`The zones ${other} and ${id} are both named ${name}. Give each its own name.`);
    }
    owners.set(name.toLowerCase(), id);
  }
  return (id) => names.get(id) ?? id;
}

/** Zones of a `zones.yaml` in the working directory, where no flag names another list: it gives names and order, and no zones. */
export function foundZones(session: Session, { zones }: ZoneFlags): ReturnType<typeof listed> {
  const isFound = zones === undefined && existsSync(join(session.cwd, "zones.yaml"));
  return isFound ? listed(session, { zones: "zones.yaml" }) : [];
}

function listed(
  session: Session,
  { zones: file }: ZoneFlags,
): readonly { id: string; name?: string | undefined }[] {
  if (file === undefined) return [];
  const entries = fileSchema.safeParse(yamlOf(session, file));
  if (!entries.success) {
    const [issue] = entries.error.issues;
    const where = issue?.path.length ? ` (at ${issue.path.map(String).join(".")})` : "";
    throw new CommandError(
      `${forTerminal(file)} is not a list of zones${where}: expected a YAML list of { id, name?, tags? }.`,
    );
  }
  return entries.data.map(({ id, name }, index) => {
    const known = zoneIdOf(id);
    if (known === undefined) {
      throw new CommandError(
        `Zone ${index + 1} of ${forTerminal(file)} has no valid id: expected 32 hexadecimal characters. Quote the id: without letters it would be a number.`,
      );
    }
    if (name !== undefined && !isZoneName(name)) {
      throw new CommandError(`The name of zone ${known} in ${forTerminal(file)} is invalid. ${zoneNameRule}`);
    }
    return { id: known, name };
  });
}

function yamlOf(session: Session, file: string): unknown {
  const document = parseDocument(readBytes(session, file).toString("utf8"));
  const [fault] = document.errors;
  if (fault !== undefined)
    throw new CommandError(`${forTerminal(file)} is not YAML: ${forTerminal(fault.message)}`);
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // An alias of nothing, or too many aliases for the memory.
    throw new CommandError(`${forTerminal(file)} is not YAML: ${reasonOf(error)}`);
  }
}

export function reasonOf(error: unknown): string {
  return forTerminal(error instanceof Error ? error.message : String(error));
}
