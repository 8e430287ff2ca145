import { isMap, isNode, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { quoted } from "../../../reports/escape";
import { CommandError } from "../../command-error";
import type { ExportFolder } from "../folder";
import type { Language } from "../language";
import { commentLines } from "../literal";
import { exportedKinds, type ProgramResource, type ZoneProgram } from "../program";
import { pluginNotes, pluginProject } from "../project-files";
import type { Declaration, ProgramRead } from "../read-program";
import { unreadable } from "../source-value";

/** One file has all zones: Pulumi reads no other. */
const file = "Main.yaml";
const width = 110;
const longestKey = 1000;

export const yaml: Language = {
  fence: "yaml",
  files: () => [file],
  text: (programs) => {
    const zones = programs.filter(({ resources }) => resources.length > 0).map(zoneLines);
    const lines = zones.flatMap((zone, index) => (index === 0 ? zone : ["", ...zone]));
    return zones.length === 0 ? "resources: {}\n" : `${["resources:", ...indented(lines)].join("\n")}\n`;
  },
  index: () => ({}),
  project: (name) => ({ ...pluginProject(name, "runtime: yaml\n"), ".gitignore": "node_modules/\n" }),
  notes: (read) => pluginNotes(read, "yaml"),
  commands: () => ({ "npm install": "" }),
  read: (folder) => {
    refuseOtherProgram(folder);
    return readYaml(folder);
  },
  refusal: (args) =>
    keysOf(args).some((key) => /^fn::/i.test(key) || text(key).length > longestKey)
      ? "it has a key that a program in YAML cannot have: fn:: calls a function, and 1024 characters are too many."
      : undefined,
  resource: (resource) => resourceLines(resource).join("\n"),
  policies: (set) => policyLines(set).join("\n"),
};

/** Beside `Main.yaml` Pulumi would ignore the program in `Pulumi.yaml`, and the next update would delete what it declares. */
function refuseOtherProgram(folder: ExportFolder): void {
  const isThere =
    folder.has("Main.json") ||
    /^["']?(?:resources|variables|outputs)\b/m.test(folder.read("Pulumi.yaml") ?? "");
  if (!isThere || folder.has(file)) return;
  throw new CommandError(
    `Failed to export: the folder has a program already, and Pulumi would ignore it beside ${file}. Move the program to ${file}, or export to another folder.`,
  );
}

function keysOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [key, ...keysOf(part)]);
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line === "" ? "" : `  ${line}`));
}

const comments = (remarks: readonly string[]) => commentLines({ comment: "#", tab: "" }, remarks);

function zoneLines({ zone, remarks, resources }: ZoneProgram): readonly string[] {
  const named = zone.name === zone.id ? [] : [zone.name];
  return [...comments([...named, ...remarks]), ...resources.flatMap(resourceLines)];
}

function resourceLines(resource: ProgramResource): readonly string[] {
  const { kind, name, zoneId, args, remarks } = resource;
  const properties = Object.entries(args).flatMap(([field, value]) =>
    field === "policies" ? ["policies:", ...indented(policyLines(resource))] : entry(field, value),
  );
  return [
    ...comments(remarks),
    `${text(name)}:`,
    ...indented([
      `type: page-guard:${kind}`,
      "properties:",
      ...indented([`zoneId: ${text(zoneId)}`, ...properties]),
      "options:",
      "  protect: true",
    ]),
  ];
}

function policyLines({ args, policyRemarks }: ProgramResource): readonly string[] {
  return Object.entries(Object(args["policies"])).flatMap(([name, policy]) => [
    ...comments(policyRemarks?.get(name) ?? []),
    ...entry(name, policy),
  ]);
}

function entry(name: string, value: unknown): readonly string[] {
  const key = `${text(name)}:`;
  const flat = flow(value);
  return flat === undefined || key.length + flat.length >= width
    ? [key, ...indented(lines(value))]
    : [`${key} ${flat}`];
}

function lines(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [scalar(value)];
  if (!Array.isArray(value)) return Object.entries(value).flatMap(([name, part]) => entry(name, part));
  return value.flatMap((item) => {
    const flat = flow(item);
    const [first = "", ...rest] = flat === undefined ? lines(item) : [flat];
    return [`- ${first}`, ...indented(rest)];
  });
}

/** On one line: what holds no objects. */
function flow(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return scalar(value);
  if (!Array.isArray(value)) return Object.keys(value).length === 0 ? "{}" : undefined;
  const items = value.map(flow);
  return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
}

function scalar(value: unknown): string {
  return typeof value === "string" ? text(value) : String(value);
}

const words = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Without quotes where nothing could take it for anything else. `$$` is a `$` for Pulumi. */
function text(value: string): string {
  if (/^[a-z][\w./-]*(?: [\w./-]+)*$/i.test(value) && !words.test(value)) return value;
  const whole = quoted(value.replaceAll("$", "$$$$"));
  const inner = whole.slice(1, -1);
  const isReadable = !value.includes("'") && value.includes('"') && !/\\[^"]/.test(inner);
  return isReadable ? `'${inner.replaceAll('\\"', '"')}'` : whole;
}

const resourcesSchema = z.record(
  z.string(),
  z.looseObject({
    type: z.string(),
    name: z.string().optional(),
    properties: z.record(z.string(), z.unknown()).optional(),
    /** Of a resource that is only read. */
    get: z.unknown().optional(),
  }),
);

/** What an edited program in YAML declares. */
function readYaml(folder: ExportFolder): ProgramRead {
  if (!folder.isEdited(file)) return { declarations: [], unread: [] };
  const broken: ProgramRead = {
    declarations: [],
    unread: [{ place: `${file} (not a valid program in YAML)` }],
  };
  const lineCounter = new LineCounter();
  const document = parseDocument(folder.read(file) ?? "", { lineCounter, merge: true });
  const nodes = document.get("resources", true);
  if (document.errors.length > 0 || !isMap(nodes)) return broken;
  const parsed = resourcesSchema.safeParse(valuesOf(() => nodes.toJS(document)));
  if (!parsed.success) return broken;
  const lines = nodes.items.map(({ key }) =>
    isNode(key) ? lineCounter.linePos(key.range?.[0] ?? 0).line : 0,
  );
  const declarations = Object.entries(parsed.data).flatMap(([key, resource], index): Declaration | [] => {
    const [, name] = /^page-guard:(?:index:)?(\w+)$/.exec(resource.type) ?? [];
    const kind = exportedKinds.find((one) => one === name);
    if (!kind || resource.get !== undefined) return [];
    const fields = Object.entries(resource.properties ?? {});
    const args = Object.fromEntries(fields.map(([field, value]) => [field, evaluated(value)]));
    return { kind, name: resource.name ?? key, place: `${file}:${lines[index]}`, file, args };
  });
  return { declarations, unread: [] };
}

/** Undefined for more aliases than any program needs. */
function valuesOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

/** What Pulumi makes of a value; `unreadable` where it refers to another one or calls a function. */
function evaluated(value: unknown): unknown {
  if (typeof value === "string") {
    const marks: readonly string[] = value.match(/\$\$|\$\{/g) ?? [];
    return marks.includes("${") ? unreadable : value.replaceAll("$$", "$");
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(evaluated);
  const entries = Object.entries(value).map(([key, part]) => [evaluated(key), evaluated(part)] as const);
  const isPlain = entries.every(([key]) => typeof key === "string" && !/^fn::/i.test(key));
  return isPlain ? Object.fromEntries(entries) : unreadable;
}
