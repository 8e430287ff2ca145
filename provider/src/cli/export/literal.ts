import { codeString } from "../../reports/escape";

const lineWidth = 110;

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
