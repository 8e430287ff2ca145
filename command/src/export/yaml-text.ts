import { quote } from "../documents/escape";
import { indent } from "./print";

const width = 100;

/** Returns a value as YAML. Pulumi evaluates strings, so each `$` is written as `$$`. */
export function yamlText(value: unknown): string {
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (!Array.isArray(value)) {
    const entries = Object.entries(value).map(([name, part]) => entry(text(name), part));
    return entries.join("\n") || "{}";
  }
  const parts = value.map(yamlText);
  const flat = `[${parts.join(", ")}]`;
  const isFlat = flat.length <= width && value.every((part) => typeof part !== "object" || part === null);
  return isFlat ? flat : parts.map((part) => `- ${indent("  ", part).trimStart()}`).join("\n");
}

function entry(key: string, value: unknown): string {
  const body = yamlText(value);
  const isBlock = typeof value === "object" && value !== null && !/^(?:\[|\{\}$)/.test(body);
  return isBlock ? `${key}:\n${indent("  ", body)}` : `${key}: ${body}`;
}

const words = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Returns a string as YAML. Leaves out the quotes if every YAML parser reads the unquoted text as this string. */
function text(value: string): string {
  if (/^[a-z][\w./-]*(?:[ :][\w./-]+)*$/i.test(value) && !words.test(value)) return value;
  const whole = quote(value.replaceAll("$", "$$$$"));
  const inner = whole.slice(1, -1);
  const isReadable = !value.includes("'") && value.includes('"') && !/\\[^"]/.test(inner);
  return isReadable ? `'${inner.replaceAll('\\"', '"')}'` : whole;
}
