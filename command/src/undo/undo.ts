import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isOffline, kinds } from "pulumi-page-guard/tools";
import { plannedZones } from "../approval/plan";
import type { Approving } from "../approval/read-zones";
import { CommandError } from "../command-error";
import { declare } from "../export/declared";
import { refuseUsedFolder, writeFiles } from "../export/empty-folder";
import { importFile } from "../export/import-file";
import { languages } from "../export/languages";
import { kebabCase, named, slugOf } from "../export/naming";
import { type ProgramResource, zoneProgram } from "../export/program";
import type { ZoneFound } from "../export/read-zone";
import { policyLabel } from "../labels";
import { isChanging, type PreviewRead, zonesOf } from "../preview/preview-read";
import { forMarkdown, forMarkdownCode } from "../reports/escape";
import { readChangedZones, type ZonesRead, zoneChanges } from "../review/zones";
import { packageVersion, type Session } from "../session";
import { namesOf, type ZoneRef } from "../zones";

/** What an update takes from a zone, as it was before. */
interface Saved {
  readonly found: ZoneFound;
  readonly resources: readonly ProgramResource[];
  /** Of `resources`: policies that stay in the zone and say something else. */
  readonly overwritten: readonly ProgramResource[];
  readonly leftOut: readonly string[];
}

/** A folder with a program that restores what an update deletes or overwrites. */
export class Undo {
  readonly #path: string;
  #written: readonly string[] = [];

  /** @throws CommandError if the folder is not empty: two undos must not be mixed. */
  constructor(
    private readonly session: Session,
    dir: string,
  ) {
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
    const saved = savedIn(read, zones ?? (await readChangedZones(reading, read)), namesOf(this.session));
    const files = await filesOf(saved, basename(this.#path), this.session.now);
    for (const file of this.#written) rmSync(join(this.#path, file), { force: true });
    this.#written = Object.keys(files);
    mkdirSync(this.#path, { recursive: true });
    chmodSync(this.#path, 0o700);
    writeFiles(this.#path, files);
  }
}

/** What an update deletes or overwrites, in each zone in which it does, as the zone has it. */
function savedIn(
  { steps }: PreviewRead,
  { values, unread }: ZonesRead,
  zoneName: (id: string) => string,
): Saved[] {
  const [failed] = unread;
  if (failed) throw new CommandError(`Failed to read zone ${failed.zone}: ${failed.reason}`);
  const { changes, losses } = zoneChanges(steps, values);
  const lost = losses.flatMap(({ places }) => places.flatMap(({ id }) => id ?? []));
  const planned = plannedZones(steps.filter(({ isOurs }) => isOurs));
  const zones = planned.map(({ zoneId: id }): ZoneRef => ({ id, name: zoneName(id) }));
  const isAlone = (slug: string): boolean => zones.filter((one) => slugOf(one) === slug).length === 1;
  return planned.map(({ zoneId, isClosed }, at) => {
    const { settings, policies = [], entrypoint } = values.get(zoneId) ?? {};
    const here = changes.filter(({ zone, fate }) => zone === zoneId && fate !== "adopt" && fate !== "leave");
    const idsOf = (fate: string) => here.flatMap((one) => (one.fate === fate ? (one.id ?? []) : []));
    const changed = new Set(idsOf("update"));
    const gone = new Set([...lost, ...idsOf("delete")]);
    const isWritten = steps.some(
      (step) => zonesOf(step).includes(zoneId) && isChanging(step) && writesRules(step),
    );
    const zone = zones[at] ?? { id: zoneId, name: zoneId };
    return savedOf(
      {
        zone: isAlone(slugOf(zone)) ? zone : { id: zoneId, name: zoneId },
        ...(settings && here.some(({ kind }) => kind === "settings") && { settings }),
        policies: policies.filter(({ policyId }) => gone.has(policyId) || changed.has(policyId)),
        // Written as a whole: it may have rules of others.
        ...(entrypoint && isWritten && { entrypoint }),
      },
      changed,
      isClosed,
    );
  });
}

function writesRules({ kind }: { readonly kind: string }): boolean {
  const load = Object.entries(kinds).find(([name]) => name === kind)?.[1];
  return load?.().parts.some((part) => part === "entrypoint") ?? false;
}

function savedOf(found: ZoneFound, changed: ReadonlySet<string>, isClosed: boolean): Saved {
  const { zone, policies = [], entrypoint, settings } = found;
  const hidden = [
    ...policies.map((policy) => `the policy ${policyLabel(policy)}`),
    ...(entrypoint?.rules.length ? ["the WAF rules"] : []),
  ].map((what) => `${what}: the program has secret inputs in this zone, and this may contain one.`);
  // The zone may hold what the program keeps secret.
  const { objects, leftOut } = declare(isClosed ? { zone, ...(settings && { settings }) } : found);
  const all = named(objects).map((object) => ({
    ...object,
    // Restores exactly this list: rules that were added since are deleted.
    args: "foreignRules" in object.args ? { ...object.args, foreignRules: "overwrite" } : object.args,
  }));
  const { resources } = zoneProgram(zone, all, "single");
  return {
    found,
    resources,
    overwritten: resources.filter((_, at) => changed.has(all[at]?.policyId ?? "")),
    leftOut: [...(isClosed ? hidden : []), ...leftOut.map(({ what, why }) => `${what}: ${why}`)],
  };
}

async function filesOf(
  all: readonly Saved[],
  folderName: string,
  now: () => number,
): Promise<Record<string, string>> {
  const saved = all.filter(({ resources }) => resources.length > 0);
  const overwritten = saved.map(({ found, overwritten: resources }) => ({ found, resources }));
  const hasImports = overwritten.some(({ resources }) => resources.length > 0);
  const programs = saved.map(({ found: { zone }, resources }) => ({ zone, resources }));
  return {
    ...(saved.length > 0 && {
      ...languages.typescript.project(kebabCase(folderName) || "zones"),
      ...languages.typescript.files(programs),
    }),
    ...(hasImports && { "import.json": await importFile(overwritten, false, now) }),
    "UNDO.md": undoMarkdown(all, hasImports),
  };
}

function undoMarkdown(all: readonly Saved[], hasImports: boolean): string {
  const objects = (list: readonly ProgramResource[]): string =>
    list.map(({ kind, name }) => `${kind} ${forMarkdownCode(name)}`).join(", ");
  const saved = all.filter(({ resources }) => resources.length > 0);
  const leftOut = all.flatMap(({ found, leftOut: some }) =>
    some.map((one) => `- ${forMarkdown(found.zone.name)}: ${forMarkdown(one, 500)}`),
  );
  if (saved.length + leftOut.length === 0)
    return "# Nothing to undo\n\nThe update deletes and overwrites nothing.\n";
  return [
    "# What the update deletes or overwrites",
    "",
    `Written by \`page-guard\` (pulumi-page-guard ${packageVersion()}) before the update, as the zones were then.`,
    "",
    "| zone | id | deleted | overwritten |",
    "|---|---|---|---|",
    ...saved.map(({ found: { zone }, resources, overwritten }) => {
      const gone = resources.filter((one) => !overwritten.includes(one));
      return `| ${forMarkdown(zone.name)} | \`${zone.id}\` | ${objects(gone)} | ${objects(overwritten)} |`;
    }),
    "",
    ...(leftOut.length > 0 ? ["## Left out", "", ...leftOut, ""] : []),
    "## To put it back",
    "",
    "```sh",
    "npm install",
    "pulumi stack init undo",
    ...(hasImports
      ? [
          "pulumi import --file import.json --generate-code=false --yes  # the overwritten policies; no request",
        ]
      : []),
    "pulumi up --refresh  # deleted policies are created, everything else becomes what it was",
    "```",
    "",
    "Then revert the change in the stack that did it and apply that: it adopts what is there again. `pulumi stack rm undo",
    "--force` forgets this program and leaves the zones alone.",
    "",
    "- The list of WAF rules is written as a whole: the preview names the rules that were added since, and deletes them.",
    "- A WAF migration cannot be undone by any of this.",
    "",
  ].join("\n");
}
