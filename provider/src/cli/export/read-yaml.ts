import { isMap, isNode, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import type { ExportFolder } from "./folder";
import { exportedKinds } from "./program";
import type { Declaration, ProgramRead } from "./read-program";
import { unreadable } from "./source-value";

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
export function readYaml(folder: ExportFolder, file: string): ProgramRead {
  if (!folder.isEdited(file)) return { declarations: [], unread: [] };
  const broken: ProgramRead = {
    declarations: [],
    unread: [{ place: `${file} (not a valid program in YAML)` }],
  };
  const lineCounter = new LineCounter();
  const document = parseDocument(folder.read(file) ?? "", { lineCounter, version: "1.1" });
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
    const args = Object.fromEntries(
      Object.entries(resource.properties ?? {}).map(([field, value]) => [field, evaluated(value)]),
    );
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
