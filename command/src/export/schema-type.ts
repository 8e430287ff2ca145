import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pluginTypePrefix } from "pulumi-page-guard/tools";
import type { ExportedKind } from "./program";

/** A type in the plugin's schema, from which the SDKs are generated. */
export interface SchemaType {
  readonly $ref?: string;
  readonly type?: string;
  readonly items?: SchemaType;
  readonly additionalProperties?: SchemaType;
}

type Fields = Readonly<Record<string, SchemaType>>;

interface Schema {
  readonly resources: Readonly<Record<string, { readonly inputProperties: Fields }>>;
  readonly types: Readonly<Record<string, { readonly properties?: Fields }>>;
}

let known: Schema | undefined;

function schema(): Schema {
  const provider = dirname(require.resolve("pulumi-page-guard/package.json"));
  known ??= JSON.parse(readFileSync(join(provider, "plugin/schema.json"), "utf8")) as Schema;
  return known;
}

export function argumentType(kind: ExportedKind, name: string): SchemaType | undefined {
  return schema().resources[`${pluginTypePrefix}${kind}`]?.inputProperties[name];
}

/** `WafRule`; undefined for a list, a map and free values. */
export function objectName(type: SchemaType | undefined): string | undefined {
  const start = `#/types/${pluginTypePrefix}`;
  return type?.$ref?.startsWith(start) ? type.$ref.slice(start.length) : undefined;
}

/** The type of an item, or of the entry of that name. */
export function partType(type: SchemaType | undefined, name: string): SchemaType | undefined {
  const object = objectName(type);
  if (object === undefined) return type?.items ?? type?.additionalProperties;
  return schema().types[`${pluginTypePrefix}${object}`]?.properties?.[name];
}
