import { chmodSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isOffline } from "pulumi-page-guard/tools";
import { plannedZones } from "../approval/plan";
import type { Approving } from "../approval/read-zones";
import { CommandError } from "../command-error";
import { type Declared, declare } from "../export/declared";
import { refuseUsedFolder, writeFiles } from "../export/empty-folder";
import { typescript, typescriptIndex } from "../export/languages/typescript";
import { kebabCase, named, slugOf } from "../export/naming";
import { zoneProgram } from "../export/program";
import type { ZoneFound } from "../export/read-zone";
import { policyLabel } from "../labels";
import { makeFolder } from "../make-folder";
import { isChanging, type PreviewRead, zonesOf } from "../preview/preview-read";
import { forMarkdown, forMarkdownCode } from "../reports/escape";
import type { ObjectChange } from "../review/objects";
import { readChangedZones, type ZonesRead, zoneChanges } from "../review/zones";
import { packageVersion, type Session } from "../session";

/** What an update takes from a zone, as it was before. */
interface Saved {
  readonly zoneId: string;
  /** For the program that restores it. */
  readonly gone: readonly Declared[];
  /** Policies that the update changes. */
  readonly overwritten: readonly Declared[];
  readonly leftOut: readonly string[];
}

/** A folder with a program that restores what an update deletes or overwrites. */
export class Undo {
  readonly #path: string;
  #written: readonly string[] = [];

  /** @throws CommandError if the folder is not empty: two undos must not be mixed. */
  constructor(session: Session, dir: string) {
    this.#path = resolve(session.cwd, dir);
    if (isOffline(session.env)) {
      throw new CommandError(
        "Failed to save what the update deletes: PAGE_GUARD_OFFLINE is set, so the zones are not read. Leave out --undo, or unset the variable.",
      );
    }
    refuseUsedFolder(session.cwd, this.#path, "--undo");
  }

  /** Writes what the steps of the preview endanger, in place of what was written before. `zones`: read already. */
  async write(reading: Approving, read: PreviewRead, zones?: ZonesRead): Promise<void> {
    const saved = savedIn(read, zones ?? (await readChangedZones(reading, read)));
    const files = filesOf(saved, basename(this.#path));
    for (const file of this.#written) rmSync(join(this.#path, file), { force: true });
    this.#written = Object.keys(files);
    makeFolder(this.#path);
    chmodSync(this.#path, 0o700);
    writeFiles(this.#path, files);
  }
}

/** What an update deletes or overwrites, in each zone in which it does, as the zone has it. */
function savedIn({ steps }: PreviewRead, { values, unread }: ZonesRead): Saved[] {
  const [failed] = unread;
  if (failed) throw new CommandError(`Failed to read zone ${failed.zone}: ${failed.reason}`);
  const { changes, losses } = zoneChanges(steps, values);
  const lost = losses.flatMap(({ places }) => places.flatMap(({ id }) => id ?? []));
  return plannedZones(steps.filter(({ isOurs }) => isOurs)).flatMap(({ zoneId, isClosed }) => {
    const { settings, policies = [], entrypoint } = values.get(zoneId) ?? {};
    const here = changes.filter(({ zone, fate }) => zone === zoneId && fate !== "adopt" && fate !== "leave");
    const of = (kind: ObjectChange["kind"], ...fates: readonly ObjectChange["fate"][]) =>
      here.filter((change) => change.kind === kind && (fates.length === 0 || fates.includes(change.fate)));
    const inside = steps.filter((step) => zonesOf(step).includes(zoneId));
    const isWritten = inside.some((step) => listWriters.has(step.kind) && isChanging(step));
    const gone = new Set([...lost, ...of("policy", "delete").map(({ id }) => id)]);
    const changed = new Set(of("policy", "update").map(({ id }) => id));
    return savedOf(
      {
        zone: { id: zoneId, name: zoneId },
        ...(settings && of("settings").length > 0 && { settings }),
        policies: policies.filter(({ policyId }) => gone.has(policyId) || changed.has(policyId)),
        // Written as a whole: it may have rules of others.
        ...(entrypoint && isWritten && { entrypoint }),
      },
      changed,
      isClosed,
    );
  });
}

/** Kinds that write the list of a zone's rules. */
const listWriters: ReadonlySet<string> = new Set(["ManagedWafEntrypoint", "WafMigrationStep"]);

function savedOf(found: ZoneFound, changed: ReadonlySet<string | undefined>, isClosed: boolean): Saved {
  const { zone, policies = [], entrypoint, settings } = found;
  // The zone may hold what the program keeps secret.
  const hasRules = (entrypoint?.rules.length ?? 0) > 0;
  if (isClosed && (policies.length > 0 || hasRules)) {
    const open: ZoneFound = { zone, ...(settings && { settings }) };
    const leftOut = [
      ...policies.map((policy) => `the policy ${policyLabel(policy)}`),
      ...(hasRules ? ["the WAF rules"] : []),
    ].map((what) => `${what}: the program has secret inputs in this zone, and this may contain one.`);
    return { zoneId: zone.id, gone: declare(open).objects, overwritten: [], leftOut };
  }
  const { objects, leftOut } = declare(found);
  const all = objects.map((object): Declared => {
    // Restores exactly this list: rules that were added since are deleted.
    const args =
      object.kind === "ManagedWafEntrypoint" ? { ...object.args, foreignRules: "overwrite" } : object.args;
    return { ...object, args, remarks: [] };
  });
  return {
    zoneId: zone.id,
    gone: all.filter(({ key }) => !changed.has(key)),
    overwritten: all.filter(({ key }) => changed.has(key)),
    leftOut: leftOut.map(({ what, why }) => `${what}: ${why}`),
  };
}

function filesOf(saved: readonly Saved[], folderName: string): Record<string, string> {
  const files: Record<string, string> = {};
  const loaded: string[] = [];
  const write = (folder: string, zoneId: string, objects: readonly Declared[]): void => {
    if (objects.length === 0) return;
    const zone = { id: zoneId, name: zoneId };
    const slug = slugOf(zone);
    const file = `${folder}/${slug}.ts`;
    files[file] = typescript.text(zoneProgram(zone, named(objects), "single", []));
    if (folder === "zones") loaded.push(slug);
  };
  for (const { zoneId, gone, overwritten } of saved) {
    write("zones", zoneId, gone);
    write("overwritten", zoneId, overwritten);
  }
  if (Object.keys(files).length > 0)
    Object.assign(files, typescript.project(kebabCase(folderName) || "zones"));
  if (loaded.length > 0) files["zones/index.ts"] = typescriptIndex(loaded);
  else if (Object.keys(files).length > 0) files["index.ts"] = "export {};\n";
  return { ...files, "UNDO.md": undoMarkdown(saved) };
}

function undoMarkdown(saved: readonly Saved[]): string {
  const objects = (list: readonly Declared[]): string =>
    list.length === 0 ? "" : list.map(({ kind, key }) => `${kind} ${forMarkdownCode(key)}`).join(", ");
  const rows = saved.filter(({ gone, overwritten }) => gone.length + overwritten.length > 0);
  const leftOut = saved.flatMap(({ zoneId, leftOut: all }) =>
    all.map((one) => `- ${zoneId}: ${forMarkdown(one, 500)}`),
  );
  if (rows.length + leftOut.length === 0)
    return "# Nothing to undo\n\nThe update deletes and overwrites nothing.\n";
  return [
    "# What the update deletes or overwrites",
    "",
    `Written by \`page-guard\` (pulumi-page-guard ${packageVersion()}) before the update, as the zones were then.`,
    "",
    "| zone | put back by this program | overwritten policies |",
    "|---|---|---|",
    ...rows.map(
      ({ zoneId, gone, overwritten }) => `| \`${zoneId}\` | ${objects(gone)} | ${objects(overwritten)} |`,
    ),
    "",
    ...(leftOut.length > 0 ? ["## Left out", "", ...leftOut, ""] : []),
    "## To put it back",
    "",
    "```sh",
    "npm install",
    "pulumi stack init undo",
    "pulumi up            # creates deleted policies again; settings and WAF rules become what they were",
    "```",
    "",
    "Then revert the change in the stack that did it and apply that: it adopts what is there again. `pulumi stack rm undo",
    "--force` forgets this program and leaves the zones alone.",
    "",
    "- The list of WAF rules is written as a whole: the preview names the rules that were added since, and deletes them.",
    "- `overwritten/` is no part of the program: these policies are still there and say something else. Copy their",
    "  arguments to where they are declared.",
    "- A WAF migration cannot be undone by any of this.",
    "",
  ].join("\n");
}
