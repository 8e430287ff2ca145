import { codeComment, codeString } from "../../reports/escape";
import type { ZoneRef } from "../zones";
import type { Declared } from "./declared";

/** One resource for each policy, or one for all of a zone. */
export type Form = "set" | "single";

/** An object with its name in the program. */
export interface Named extends Declared {
  readonly name: string;
}

const options = "{ protect: true }";
const lineWidth = 110;

/** The file of a zone: one `new` for each object. Without date and version, so that the same zone gives the same file. */
export function zoneProgram(
  zone: ZoneRef,
  slug: string,
  objects: readonly Named[],
  form: Form,
  remarks: readonly string[],
): string {
  const policies = objects.filter(({ kind }) => kind === "CspPolicy");
  const isSet = form === "set" && policies.length > 0;
  const of = (wanted: Declared["kind"]): readonly Named[] => objects.filter(({ kind }) => kind === wanted);
  const statements = [
    ...of("PageGuardSettings").map((object) => single(slug, object)),
    ...(isSet ? [policySet(slug, policies)] : policies.map((object) => single(slug, object))),
    ...of("ManagedWafEntrypoint").map((object) => single(slug, object)),
  ];
  const kinds = [
    ...new Set(objects.map(({ kind }) => (kind === "CspPolicy" && isSet ? "CspPolicySet" : kind))),
  ].sort();
  const head = zone.name === zone.id ? "" : `// ${codeComment(zone.name)}\n`;
  if (statements.length === 0)
    return `${head}${commentLines(remarks)}// Nothing of zone ${zone.id} is declared.\nexport {};\n`;
  return [
    `import { ${kinds.join(", ")} } from "pulumi-page-guard";`,
    "",
    `${head}const zoneId = ${codeString(zone.id)};`,
    "",
    `${commentLines(remarks)}${statements.join("\n\n")}`,
    "",
  ].join("\n");
}

export function single(slug: string, { kind, name, args, remarks }: Named): string {
  const entries = ["zoneId", ...Object.entries(args).map(([field, value]) => property(field, value, 2))];
  return [
    `${commentLines(remarks)}new ${kind}(`,
    `  ${codeString(`${slug}-${name}`)},`,
    `  ${lines("{", entries, "}", 1)},`,
    `  ${options},`,
    ");",
  ].join("\n");
}

export function policySet(slug: string, policies: readonly Named[]): string {
  const entries = setEntries(policies, 3);
  return [
    "new CspPolicySet(",
    `  ${codeString(`${slug}-policies`)},`,
    `  ${lines("{", ["zoneId", `policies: ${lines("{", entries, "}", 2)}`, 'others: "keep"', 'onDestroy: "keep"'], "}", 1)},`,
    `  ${options},`,
    ");",
  ].join("\n");
}

/** Arguments of a set besides the zone id. */
export function setArgs(policies: readonly Named[]): Declared["args"] {
  return {
    policies: Object.fromEntries(
      policies.map(({ name, args }) => [name, Object.fromEntries(setEntry(name, args))]),
    ),
    others: "keep",
    onDestroy: "keep",
  };
}

/** Entries of the policies of a set, for lines of that depth. */
export function setEntries(policies: readonly Named[], indent: number): readonly string[] {
  return policies.map(({ name, args, remarks }) => {
    const fields = setEntry(name, args).map(([field, value]) => property(field, value, indent + 1));
    const comments = remarks.map((remark) => `// ${codeComment(remark, 500)}`);
    return [...comments, `${key(name)}: ${lines("{", fields, "}", indent)}`].join(`\n${"  ".repeat(indent)}`);
  });
}

/** A policy in a set, without what the set has for all, and without a description that is its key. */
function setEntry(name: string, args: Declared["args"]): readonly [string, unknown][] {
  return Object.entries(args).filter(
    ([field, value]) => field !== "onDestroy" && !(field === "description" && value === name),
  );
}

function property(field: string, value: unknown, indent: number): string {
  return `${key(field)}: ${literal(value, indent, lineWidth - 2 * indent - field.length - 3)}`;
}

function commentLines(remarks: readonly string[]): string {
  return remarks.map((remark) => `// ${codeComment(remark, 500)}\n`).join("");
}

/** A value as formatted TypeScript; `indent` is the depth of its first line. */
export function literal(value: unknown, indent: number, room = lineWidth - 2 * indent): string {
  if (typeof value === "string") return codeString(value);
  if (typeof value !== "object" || value === null) return String(value);
  const flat = inline(value);
  if (Array.isArray(value)) {
    if (flat.length <= room) return flat;
    return lines(
      "[",
      value.map((entry) => literal(entry, indent + 1)),
      "]",
      indent,
    );
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return "{}";
  return lines(
    "{",
    entries.map(
      ([name, entry]) =>
        `${key(name)}: ${literal(entry, indent + 1, lineWidth - 2 * indent - name.length - 6)}`,
    ),
    "}",
    indent,
  );
}

/** One property a line, for reviews and `git blame`. */
export function lines(open: string, entries: readonly string[], close: string, indent: number): string {
  const inner = "  ".repeat(indent + 1);
  return [open, ...entries.map((entry) => `${inner}${entry},`), `${"  ".repeat(indent)}${close}`].join("\n");
}

/** `__proto__` in a literal would set the prototype, quoted or not. */
export function key(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : codeString(name);
}

function inline(value: unknown): string {
  if (typeof value === "string") return codeString(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  const entries = Object.entries(value).map(([name, entry]) => `${key(name)}: ${inline(entry)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
