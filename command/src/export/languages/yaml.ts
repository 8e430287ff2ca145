import { quoted } from "../../reports/escape";
import type { Language } from "../language";
import { commentLines } from "../literal";
import type { ProgramResource, ZoneProgram } from "../program";
import { pluginProject } from "../project-files";

/** One file has all zones: Pulumi reads no other. */
const file = "Main.yaml";
const width = 110;
const longestKey = 1000;

export const yaml: Language = {
  file: () => file,
  comment: "#",
  text: (program) => textOf([program]),
  files: (programs) => ({ [file]: textOf(programs) }),
  project: (name) => ({ ...pluginProject(name, "runtime: yaml\n"), ".gitignore": "node_modules/\n" }),
  commands: { "npm install": "" },
  refusal: (args) =>
    keysOf(args).some((key) => /^fn::/i.test(key) || text(key).length > longestKey)
      ? "it has a key that a program in YAML cannot have: fn:: calls a function, and 1024 characters are too many."
      : undefined,
  policies: (set) => policyLines(set).join("\n"),
  rules: (rules) => lines(rules).join("\n"),
};

function textOf(programs: readonly ZoneProgram[]): string {
  const zones = programs.filter(({ resources }) => resources.length > 0).map(zoneLines);
  const all = zones.flatMap((zone, index) => (index === 0 ? zone : ["", ...zone]));
  return zones.length === 0 ? "resources: {}\n" : `${["resources:", ...indented(all)].join("\n")}\n`;
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
