import { dirname, join } from "node:path";
import { pluginTypePrefix } from "pulumi-page-guard/tools";

/** A type in the schema of the plugin, from which the SDKs are generated. */
export interface SchemaType {
  readonly $ref?: string;
  readonly type?: string;
  readonly items?: SchemaType;
  readonly additionalProperties?: SchemaType;
}

type SchemaFields = Readonly<Record<string, SchemaType>>;
type Entries = Readonly<
  Record<string, { readonly properties?: SchemaFields; readonly inputProperties?: SchemaFields }>
>;

/** Returns the schema. Node reads and parses the file only once, because `require` caches it. */
function schema(): { readonly resources: Entries; readonly types: Entries } {
  const provider = dirname(require.resolve("pulumi-page-guard/package.json"));
  return require(join(provider, "plugin/schema.json"));
}

export function referToArguments(kind: string): SchemaType {
  return { $ref: `#/resources/${pluginTypePrefix}${kind}` };
}

/** Returns the name of an object type, such as `WafRule`; undefined for lists, maps and simple values. */
export function objectName(type: SchemaType | undefined): string | undefined {
  return type?.$ref?.split(pluginTypePrefix)[1];
}

/** Returns the type of the items of a list or map, or of the field `name` of an object. */
export function findPartType(type: SchemaType | undefined, name: string): SchemaType | undefined {
  const object = objectName(type);
  if (object === undefined) return type?.items ?? type?.additionalProperties;
  const { types, resources } = schema();
  const { [`${pluginTypePrefix}${object}`]: entry } = type?.$ref?.startsWith("#/types/") ? types : resources;
  return (entry?.inputProperties ?? entry?.properties)?.[name];
}
