/** Prefix of the persisted type of every dynamic resource of this package. */
export const typePrefix = "pulumi-nodejs:dynamic/page-guard:";

export const pluginTypePrefix = "page-guard:index:";

/**
 * Parses a URN: `urn:pulumi:stack::project::types::name`, where only the name may contain `::`. Any other string is treated as a
 * name. `types`: the types of the ancestors and the resource, with `$` between them. `declaredName`: the name in the program.
 */
export function urnParts(urn: string) {
  const [, , types = "", ...names] = urn.split("::");
  if (names.length === 0) return { types: "", type: "", name: urn, declaredName: urn };
  const [type, name] = [types.slice(types.lastIndexOf("$") + 1), names.join("::")];
  return { types, type, name, declaredName: declaredName(parseKind(type) ?? "", name) };
}

/**
 * Whether the URN is that of a default provider, which the engine creates from the stack's config. Its name is `default`, alone or
 * followed by a version or source. A name such as `default_eu` belongs to a provider of the program.
 */
export function isDefaultProvider(urn: string): boolean {
  const { types, type, name } = urnParts(urn);
  return types === type && /^default(?:$|(?:_\d+){3}(?:_|$)|_[a-z0-9]+_\/\/)/.test(name);
}

/** Returns the kind (`CspPolicy`) from a type of a dynamic resource or of the plugin; undefined for types of other packages. */
export function parseKind(type: string): string | undefined {
  const prefix = [typePrefix, pluginTypePrefix].find((one) => type.startsWith(one));
  return prefix === undefined ? undefined : type.slice(prefix.length);
}

/** Returns the kind and the name of a resource (`CspPolicy checkout`), as the program declares them. */
export function readDeclaredAs(urn: string): string {
  const { type, name } = urnParts(urn);
  return formatDeclaredAs(parseKind(type) ?? type, name);
}

/** Returns the kind that users know: `WafMigration` for its child `WafMigrationStep`. */
export function declaredKind(kind: string): string {
  return kind.replace(/Step$/, "");
}

function declaredName(kind: string, name: string): string {
  return kind === declaredKind(kind) ? name : name.replace(/-step$/, "");
}

export function formatDeclaredAs(kind: string, name: string): string {
  return `${declaredKind(kind)} ${declaredName(kind, name)}`;
}
