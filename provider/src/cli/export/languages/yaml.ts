import { quoted } from "../../../reports/escape";
import { CommandError } from "../../command-error";
import type { ExportFolder } from "../folder";
import type { Language } from "../language";
import { commentLines } from "../literal";
import type { ProgramResource, ZoneProgram } from "../program";
import { pluginNotes, pluginProject } from "../project-files";
import { readYaml } from "../read-yaml";

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
    return readYaml(folder, file);
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

function comments(remarks: readonly string[]): readonly string[] {
  return commentLines({ comment: "#", tab: "" }, remarks);
}

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
