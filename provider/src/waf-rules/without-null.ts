import type { Extra } from "../api/client-types";

/** The service writes an absent field as null here and there, at any depth. In a list null keeps its place. */
export function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  return typeof value === "object" && value !== null ? fieldsWithoutNull({ ...value }) : value;
}

export function fieldsWithoutNull(fields: Extra): Extra {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, entry]) => entry !== null)
      .map(([name, entry]) => [name, withoutNull(entry)]),
  );
}
