/**
 * A component leaves the work to a resource of its own: `WafMigration waf` to `WafMigrationStep waf-step`. The user has
 * declared the component and knows no other, so that is how messages name it.
 */
export function declaredKind(kind: string): string {
  return kind.replace(/Step$/, "");
}

/** The name that the program has given. */
export function declaredName(kind: string, name: string): string {
  return kind === declaredKind(kind) ? name : name.replace(/-step$/, "");
}

export function declaredAs(kind: string, name: string): string {
  return `${declaredKind(kind)} ${declaredName(kind, name)}`;
}
