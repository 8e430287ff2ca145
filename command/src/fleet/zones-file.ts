import { listed, shown, z, zoneIdOf } from "pulumi-page-guard/tools";
import { isMap, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { CommandError } from "../command-error";
import { isZoneName, zoneNameRule } from "../options";
import { forTerminal } from "../reports/escape";
import { reasonOf } from "../zones";

const expected = (what: string) => ({ error: `expected ${what}` });
const text = z.string(expected("text"));

const zoneSchema = z.strictObject(
  {
    id: z
      .string(expected("32 hexadecimal characters, quoted: without letters the id would be a number"))
      .refine((id) => zoneIdOf(id) !== undefined, expected("32 hexadecimal characters"))
      .toLowerCase(),
    /** Of the zone and of its stack. */
    name: text
      .refine(isZoneName, { error: zoneNameRule.replace(/\.$/, "") })
      .refine((name) => !/^manifest$/i.test(name), {
        error: "the folder of approved files has a manifest.json of its own",
      }),
    hosts: z.array(text, expected("a list of hosts")).default([]),
    wave: z.int(expected("a whole number from 1")).min(1, expected("a whole number from 1")).default(1),
    /** How far a person allows its migration to go. */
    stage: z.enum(["validation", "finished"], expected("validation or finished")).optional(),
    tags: z
      .union([z.array(text), z.record(text, text)], expected("a list of texts, or texts by name"))
      .default([])
      .transform((tags) =>
        Array.isArray(tags) ? tags : Object.entries(tags).map(([key, value]) => `${key}=${value}`),
      ),
  },
  expected("{ id, name, hosts?, wave?, stage?, tags? }"),
);

/** One zone of a fleet, and its stack. */
export type FleetZone = Readonly<z.output<typeof zoneSchema>>;

/** Reads a `zones.yaml`. @throws CommandError that names each fault with its line. */
export function parseZones(file: string, source: string): readonly FleetZone[] {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  const faults: { line: number; message: string }[] = [];
  const fault = (offset: number | undefined, message: string): void => {
    faults.push({ line: Math.max(1, lines.linePos(offset ?? 0).line), message });
  };
  for (const { pos, message } of document.errors) fault(pos[0], `this is not YAML: ${shown(message)}`);
  const list = document.contents;
  const zones: FleetZone[] = [];
  if (faults.length === 0 && (!isSeq<Node>(list) || list.items.length === 0))
    fault(0, "expected a list of zones, each with id and name");
  for (const node of faults.length === 0 && isSeq<Node>(list) ? list.items : []) {
    let value: unknown;
    try {
      value = node.toJS(document, { maxAliasCount: 100 });
    } catch (error) {
      fault(node.range?.[0], `this is not YAML: ${reasonOf(error)}`);
      continue;
    }
    const read = zoneSchema.safeParse(value);
    for (const issue of read.error?.issues ?? []) {
      const place = issue.path.length === 0 ? "" : `${shown(issue.path.map(String).join("."))}: `;
      const names = issue.code === "unrecognized_keys" ? issue.keys : [];
      for (const name of names)
        fault(offsetOf(node, [name]), `there is no field ${shown(name, { max: 40 })}`);
      if (names.length === 0) fault(offsetOf(node, issue.path), `${place}${shown(issue.message)}`);
    }
    if (!read.success) continue;
    const zone = read.data;
    const twin = zones.find(
      ({ id, name }) => id === zone.id || name.toLowerCase() === zone.name.toLowerCase(),
    );
    if (twin)
      fault(node.range?.[0], `the zone ${twin.name} has the same ${twin.id === zone.id ? "id" : "name"}`);
    zones.push(zone);
  }
  if (faults.length === 0) return zones;
  const found = faults.map(({ line, message }) => `${forTerminal(file)}:${line}: ${message}.`);
  throw new CommandError(`${listed(found, { separator: "\n" })} Nothing was done.`);
}

/** Of the named field, or of the zone where the field is missing. */
function offsetOf(node: Node, [name]: readonly PropertyKey[]): number | undefined {
  const pair = isMap<Node, Node>(node) ? node.items.find(({ key }) => String(key) === name) : undefined;
  return (pair?.key ?? node).range?.[0];
}
