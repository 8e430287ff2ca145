/** Prefix of the persisted type of every dynamic resource of this package. */
export const typePrefix = "pulumi-nodejs:dynamic/page-guard:";

/** Prefix of the types of the resources of its plugin. */
export const pluginTypePrefix = "page-guard:index:";

/**
 * `urn:pulumi:stack::project::types::name`, where only the name may hold `::` itself. What is no URN is all name. `types`: those
 * of the ancestors and its own, `$` between them.
 */
export function urnParts(urn: string): {
  readonly types: string;
  readonly type: string;
  readonly name: string;
  /** The name in the program. */
  readonly declaredName: string;
} {
  const [, , types = "", ...names] = urn.split("::");
  if (names.length === 0) return { types: "", type: "", name: urn, declaredName: urn };
  const [type, name] = [types.slice(types.lastIndexOf("$") + 1), names.join("::")];
  return { types, type, name, declaredName: declaredName(kindOf(type) ?? "", name) };
}

/**
 * A provider that the engine makes itself, from the stack's config, where the environment comes first: it is named for its
 * version and its source. A program may give its own a name like `default_eu`.
 */
export function isDefaultProvider(urn: string): boolean {
  const { types, type, name } = urnParts(urn);
  return types === type && /^default(?:$|(?:_\d+){3}(?:_|$)|_[a-z0-9]+_\/\/)/.test(name);
}

/** `CspPolicy`, of a dynamic resource, one of the plugin or a component; nothing for a type of another package. */
export function kindOf(type: string): string | undefined {
  const prefix = [typePrefix, pluginTypePrefix].find((one) => type.startsWith(one));
  return prefix === undefined ? undefined : type.slice(prefix.length);
}

/** `CspPolicy checkout`, as the engine names it in its rows, but for what the program knows under another name. */
export function declaredAsIn(urn: string): string {
  const { type, declaredName: name } = urnParts(urn);
  return `${declaredKind(kindOf(type) ?? type)} ${name}`;
}

/**
 * A component leaves the work to a resource of its own: `WafMigration waf` to `WafMigrationStep waf-step`. The user has
 * declared the component and knows no other, so that is how messages name it.
 */
export function declaredKind(kind: string): string {
  return kind.replace(/Step$/, "");
}

/** The name that the program has given. */
function declaredName(kind: string, name: string): string {
  return kind === declaredKind(kind) ? name : name.replace(/-step$/, "");
}

export function declaredAs(kind: string, name: string): string {
  return `${declaredKind(kind)} ${declaredName(kind, name)}`;
}
