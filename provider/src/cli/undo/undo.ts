import { chmodSync, existsSync, readdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Policy } from "../../api/client-types";
import { isOffline } from "../../api/offline";
import { forMarkdown, forMarkdownCode, forTerminal } from "../../reports/escape";
import { readZone, valuesOf, type ZonePart } from "../../zone/read-zone";
import { planOf } from "../approval/plan";
import { type Approving, readZones } from "../approval/read-zones";
import { CommandError } from "../command-error";
import { type Declared, declare } from "../export/declared";
import { ExportFolder } from "../export/folder";
import { typescript } from "../export/languages/typescript";
import { kebabCase, named, slugOf } from "../export/naming";
import { zoneProgram } from "../export/program";
import type { ZoneFound } from "../export/read-zone";
import { policyLabel } from "../labels";
import { makeFolder } from "../make-folder";
import { declaredSayings, policyChanges, sayingOf } from "../review/policy-changes";
import type { PreviewRead } from "../review/preview-read";
import { ruleChanges } from "../review/rule-changes";
import { settingsChanges } from "../review/settings-changes";
import { recordedPolicies } from "../review/stack-policies";
import { isChanging, type ObjectChange, takesOthers } from "../review/zone-objects";
import { packageVersion, type Session } from "../session";
import { distinct } from "../values";

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
  readonly #folder: ExportFolder;

  /** @throws CommandError if the folder is not empty: two undos must not be mixed. */
  constructor(
    session: Session,
    private readonly dir: string,
  ) {
    const path = resolve(session.cwd, dir);
    if (isOffline(session.env)) {
      throw new CommandError(
        "Failed to save what the update deletes: PAGE_GUARD_OFFLINE is set, so the zones are not read. Leave out --undo, or unset the variable.",
      );
    }
    this.#folder = new ExportFolder(path, {}, session.cwd);
    this.#folder.refuseLinks([]);
    if (existsSync(path) && !isEmpty(path)) {
      throw new CommandError(
        `--undo takes a new or empty folder, and ${forTerminal(dir)} is not empty. Name another one, or move its files away.`,
      );
    }
  }

  /** Reads what the steps of the preview endanger, and writes it in place of what was written before. */
  async write(approving: Approving, read: PreviewRead): Promise<void> {
    const before = Object.keys(this.#folder.digests);
    const saved = await save(approving, read);
    const files = filesOf(saved, basename(resolve(this.#folder.path)));
    makeFolder(this.#folder.path);
    chmodSync(this.#folder.path, 0o700);
    for (const file of before) if (!(file in files)) this.#folder.remove(file);
    for (const [file, text] of Object.entries(files)) {
      if (!this.#folder.write(file, text))
        throw new CommandError(
          `Failed to write ${forTerminal(`${this.dir}/${file}`)}: someone else changed it since it was written here. Name another folder with --undo.`,
        );
    }
  }
}

function isEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

type Endangered = ReturnType<typeof endangeredIn>[number];

/** What an update deletes or overwrites in each zone, by its steps alone: findings are not needed. */
function endangeredIn({ steps }: PreviewRead) {
  const changing = steps.filter((step) => step.isOurs && isChanging(step));
  const policies = policyChanges(steps);
  const settings = changedZones(settingsChanges(steps));
  const writing = changing.filter(
    ({ kind }) => kind === "ManagedWafEntrypoint" || kind === "WafMigrationStep",
  );
  // Whatever differs: the list that is overwritten may have rules of others.
  const rules = new Set([...changedZones(ruleChanges(steps)), ...zonesOf(writing)]);
  const exact = zonesOf(
    changing.filter((step) => step.kind === "CspPolicySet" && takesOthers(step) !== "no"),
  );
  const inState = steps.filter(({ isOurs }) => isOurs).flatMap(recordedPolicies);
  // An exact set may delete what a resource just left in the zone.
  const own = new Set(inState.flatMap(({ fate, id }) => (fate === "left" ? [] : [id])));
  const declared = declaredSayings(steps.filter(({ isOurs }) => isOurs));
  const fates = new Map(
    policies.flatMap(({ id, fate }) => {
      const known = { delete: "deleted", update: "overwritten" } as const;
      return id !== undefined && (fate === "delete" || fate === "update") ? [[id, known[fate]]] : [];
    }),
  );
  const zones = new Set([...settings, ...rules, ...exact, ...changedZones(policies)]);
  return [...zones].sort().map((zoneId) => {
    const isTouched = policies.some(({ zone, id }) => zone === zoneId && fates.has(id ?? ""));
    // The list of WAF rules is always written as a whole.
    const parts: readonly ZonePart[] = [
      ...(settings.has(zoneId) ? (["settings"] as const) : []),
      ...(exact.has(zoneId) || isTouched ? (["policies"] as const) : []),
      ...(rules.has(zoneId) ? (["entrypoint"] as const) : []),
    ];
    return {
      ...{ zoneId, parts },
      /** What happens to a live policy. Undefined: nothing. */
      fateOf(policy: Policy) {
        // An exact set deletes what it neither has nor adopts.
        const isOthers = !own.has(policy.policyId) && !declared.has(sayingOf(zoneId, { ...policy }) ?? "");
        return fates.get(policy.policyId) ?? (exact.has(zoneId) && isOthers ? "deleted" : undefined);
      },
    };
  });
}

function changedZones(changes: readonly ObjectChange[]): ReadonlySet<string> {
  return zonesOf(changes.filter(({ fate }) => fate !== "leave"));
}

function zonesOf(list: readonly { readonly zone: string | undefined }[]): ReadonlySet<string> {
  return new Set(distinct(list.map(({ zone }) => zone)));
}

function save(approving: Approving, read: PreviewRead): Promise<Saved[]> {
  const endangered = new Map(endangeredIn(read).map((one) => [one.zoneId, one]));
  const zones = planOf(read).zones.flatMap((zone) => {
    const one = endangered.get(zone.zoneId);
    return one ? { ...zone, endangered: one } : [];
  });
  return readZones(approving, zones, async (client, { zoneId, isClosed, endangered: one }) => {
    const found = valuesOf(await readZone(client, zoneId, one.parts));
    return savedOf(one, { zone: { id: zoneId, name: zoneId }, ...found }, isClosed);
  });
}

function savedOf(endangered: Endangered, found: ZoneFound, isClosed: boolean): Saved {
  const { zoneId } = endangered;
  const policies = (found.policies ?? []).filter((policy) => endangered.fateOf(policy) !== undefined);
  // The zone may hold what the program keeps secret.
  const hasRules = (found.entrypoint?.rules.length ?? 0) > 0;
  if (isClosed && (policies.length > 0 || hasRules)) {
    const { settings } = found;
    const open: ZoneFound = { zone: found.zone, ...(settings && { settings }) };
    const leftOut = [
      ...policies.map((policy) => `the policy ${policyLabel(policy)}`),
      ...(hasRules ? ["the WAF rules"] : []),
    ].map((what) => `${what}: the program has secret inputs in this zone, and this may contain one.`);
    return { zoneId, gone: declare(open).objects, overwritten: [], leftOut };
  }
  const { objects, leftOut } = declare({ ...found, policies });
  const fates = new Map(policies.map((policy) => [policy.policyId, endangered.fateOf(policy)]));
  const all = objects.map((object): Declared => {
    // Restores exactly this list: rules that were added since are deleted.
    const args =
      object.kind === "ManagedWafEntrypoint" ? { ...object.args, foreignRules: "overwrite" } : object.args;
    return { ...object, args, remarks: [] };
  });
  return {
    zoneId,
    gone: all.filter(({ key }) => fates.get(key) !== "overwritten"),
    overwritten: all.filter(({ key }) => fates.get(key) === "overwritten"),
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
    files[file] = typescript.text([zoneProgram(zone, named(zone, objects, undefined), "single", [])]);
    if (folder === "zones") loaded.push(file);
  };
  for (const { zoneId, gone, overwritten } of saved) {
    write("zones", zoneId, gone);
    write("overwritten", zoneId, overwritten);
  }
  if (Object.keys(files).length > 0)
    Object.assign(
      files,
      typescript.project(kebabCase(folderName) || "zones", () => undefined),
    );
  if (loaded.length > 0) Object.assign(files, typescript.index(loaded));
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
