import { chmodSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { enumerate, isChanging, isOffline, toObjectType } from "pulumi-page-guard/tools";
import { forMarkdown, forMarkdownCode } from "../documents/escape";
import { declare } from "../export/declared";
import { refuseUsedFolder, writeFiles } from "../export/empty-folder";
import { languages } from "../export/languages";
import { makeSlug, nameObjects, toKebabCase } from "../export/naming";
import { importFile, type ProgramResource, zoneProgram } from "../export/program";
import type { ZoneFound } from "../export/read-zone";
import { packageVersion } from "../package-version";
import { listZones, type PreviewRead } from "../preview/preview-read";
import {
  listParts,
  plannedZones,
  type ReadingContext,
  readChangedZones,
  type ZonesRead,
} from "../review/read-zones";
import { type ZoneEffect, zoneEffects } from "../review/zone-effects";
import { CommandError } from "../shared/command-error";
import { policyLabel } from "../shared/labels";
import { makeFolder } from "../shared/output";
import type { Session } from "../shared/session";
import { makeZoneNamer } from "../shared/zones";

type Saved = ReturnType<typeof findSaved>[number];

/** A folder with a program that restores the objects that an update deletes or overwrites. */
export class Undo {
  readonly #path: string;
  #written: readonly string[] = [];

  /** @throws CommandError if PAGE_GUARD_OFFLINE is set, or if the folder is not empty: two undo programs must not be mixed */
  constructor(
    private readonly session: Session,
    dir: string,
  ) {
    this.#path = resolve(session.cwd, dir);
    if (isOffline(session.env)) {
      throw new CommandError(
        "Failed to save the objects that the update deletes: PAGE_GUARD_OFFLINE is set, so the zones are not read. Leave out --undo, or unset the variable.",
      );
    }
    refuseUsedFolder(session.cwd, this.#path, "--undo");
  }

  /** Writes the program. Replaces the program of an earlier call. Reads the zones if `zones` is absent. */
  async write(reading: ReadingContext, read: PreviewRead, zones?: ZonesRead): Promise<void> {
    const contents = zones ?? (await readChangedZones(reading, read));
    const saved = findSaved(read, contents, makeZoneNamer(this.session));
    const files = await makeFiles(saved, basename(this.#path), this.session.now);
    for (const file of this.#written) rmSync(join(this.#path, file), { force: true });
    this.#written = Object.keys(files);
    makeFolder(this.#path);
    chmodSync(this.#path, 0o700);
    writeFiles(this.#path, files);
  }
}

/** Returns the objects that an update deletes or overwrites, by zone, with their current values. */
function findSaved({ steps }: PreviewRead, { values, unread }: ZonesRead, nameOf: (id: string) => string) {
  const [failed] = unread;
  if (failed) throw new CommandError(`Failed to read zone ${failed.reason}`);
  const effects = zoneEffects(steps, values);
  const planned = plannedZones(steps.filter(({ isOurs }) => isOurs));
  const slugs = planned.map(({ zoneId }) => makeSlug({ name: nameOf(zoneId) }));
  return planned.map(({ zoneId: id, hasSecretInputs }) => {
    const isAlone = slugs.filter((slug) => slug === makeSlug({ name: nameOf(id) })).length === 1;
    const zone = { id, name: isAlone ? nameOf(id) : id };
    const { service, settings, policies = [], entrypoint } = values.get(id) ?? {};
    const here = effects.filter((one) => one.zone === id && one.fate !== "adopt" && one.fate !== "leave");
    const selectIds = (...fates: readonly string[]) =>
      here.flatMap(({ fate, object }) => (fates.includes(fate) ? (object.id ?? []) : []));
    const changed = selectIds("update");
    const endangered = selectIds("update", "delete", "lose");
    const changing = steps.filter((step) => listZones(step).includes(id) && isChanging(step));
    const isListWritten = changing.some(({ kind }) => listParts(kind).includes("entrypoint"));
    // The undo program must not empty the list of a zone that migrates: without the migrated rules, the zone would have no WAF.
    const isMigrated = changing.some(({ kind }) => toObjectType(kind) === "migration");
    const switches = settings && here.some(({ object }) => object.kind === "settings") ? { settings } : {};
    const found: ZoneFound = {
      zone,
      service,
      ...switches,
      policies: policies.filter(({ policyId }) => endangered.includes(policyId)),
      // Saves the list of rules as a whole, because it may contain unmanaged rules.
      ...(entrypoint && isListWritten && { entrypoint, isListWritten: !isMigrated }),
    };
    // With secret inputs, saves only the settings, because policies and rules in the zone may contain a secret.
    const { objects, leftOut } = declare(hasSecretInputs ? { zone, ...switches } : found);
    const all = nameObjects(objects).map((object) => ({
      ...object,
      // Restores exactly this list, so rules that were added later are deleted.
      args: "foreignRules" in object.args ? { ...object.args, foreignRules: "overwrite" } : object.args,
    }));
    const { resources } = zoneProgram(zone, all, "single");
    const isChanged = (_: unknown, at: number): boolean => changed.includes(all[at]?.policyId ?? "");
    const what = (found.policies ?? []).map((one) => `the policy ${policyLabel(one)}`);
    if (found.entrypoint?.rules.length) what.push("the WAF rules");
    const why = "the program has secret inputs in this zone, and this object may contain one.";
    return {
      found,
      /** Deleted policies, changed settings and WAF rules. */
      others: resources.filter((one, at) => !isChanged(one, at)),
      /** Policies that stay in the zone but change. */
      overwritten: resources.filter(isChanged),
      taken: listTaken(
        effects.filter((one) => one.zone === id),
        hasSecretInputs,
      ),
      leftOut: [
        ...(hasSecretInputs ? what.map((one) => `${one}: ${why}`) : []),
        ...leftOut.map((one) => `${one.what}: ${one.why}`),
      ],
    };
  });
}

/** Returns names of the policies and rules that an update adopts, or overwrites although the stack does not manage them. */
function listTaken(effects: readonly ZoneEffect[], hasSecretInputs: boolean): readonly string[] {
  return effects.flatMap(({ fate, after, object: { kind, id = "", label } }) => {
    if (kind === "settings" || (fate !== "adopt" && (fate !== "lose" || !after))) return [];
    return `${kind} ${forMarkdownCode((!hasSecretInputs && label) || id)}`;
  });
}

async function makeFiles(all: readonly Saved[], folderName: string, now: () => number) {
  const programs = all.map(({ found: { zone }, others, overwritten }) => {
    return { zone, resources: [...others, ...overwritten] };
  });
  const imported = all.map(({ found, overwritten: resources }) => ({ found, resources }));
  const hasImports = imported.some(({ resources }) => resources.length > 0);
  const { project, files } = languages.typescript;
  return {
    ...(programs.some(({ resources }) => resources.length > 0) && {
      ...project(toKebabCase(folderName) || "zones"),
      ...files(programs),
    }),
    ...(hasImports && { "import.json": await importFile(imported, false, now) }),
    "UNDO.md": undoMarkdown(all, hasImports),
  };
}

function undoMarkdown(all: readonly Saved[], hasImports: boolean): string {
  const objects = (list: readonly ProgramResource[]): string =>
    list.map(({ kind, name }) => `${kind} ${forMarkdownCode(name)}`).join(", ");
  const saved = all.filter(({ others, overwritten }) => others.length + overwritten.length > 0);
  const leftOut = all.flatMap(({ found: { zone }, leftOut: some }) =>
    some.map((one) => `- ${forMarkdown(zone.name)}: ${forMarkdown(one, 500)}\n`),
  );
  if (saved.length + leftOut.length === 0)
    return "# Nothing to undo\n\nThe update deletes and overwrites nothing.\n";
  const rows = saved.map(
    ({ found: { zone }, others, overwritten }) =>
      `| ${forMarkdown(zone.name)} | \`${zone.id}\` | ${objects(others)} | ${objects(overwritten)} |\n`,
  );
  const taken = all.flatMap((one) => one.taken);
  const names = enumerate(taken, { separator: ", " });
  const takenWarning =
    taken.length > 0
      ? `- **The revert can delete objects that were in the zone before the update**, because the update adopts or overwrites them and the
  state then owns them: ${names}. Read the preview of the revert. To keep them, declare them in the reverted program.
`
      : "";
  const leftOutSection = leftOut.length > 0 ? `\n## Left out\n\n${leftOut.join("")}` : "";
  const importCommand = hasImports
    ? "pulumi import --file import.json --generate-code=false --yes  # adopts the overwritten policies, from the state in the file; sends no request\n"
    : "";
  return `# Objects that the update deletes or overwrites

\`page-guard\` (pulumi-page-guard ${packageVersion()}) wrote this program before the update, from the contents of the zones at that time.

| zone | id | deleted policies, changed settings and WAF rules | overwritten policies |
|---|---|---|---|
${rows.join("")}${leftOutSection}
## How to restore them

\`\`\`sh
npm install
pulumi stack init undo
${importCommand}pulumi up --refresh  # creates the deleted policies again, and restores everything else
\`\`\`

Then, in the program that made the change, revert the change and apply the revert, which adopts the restored objects. \`pulumi stack
rm undo --force\` removes the stack of this program and changes no zone. If an earlier undo left a stack named undo, remove it first.

${takenWarning}- This program restores the list of WAF rules as a whole: it deletes rules that were added after it was written. The preview names these rules.
- Nothing can undo a WAF migration.
`;
}
