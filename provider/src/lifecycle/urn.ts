import { declaredAs, declaredName } from "./declared-as";
import { pluginTypePrefix, typePrefix } from "./type-prefix";

/** What a URN says of its resource. */
export interface UrnParts {
  /** Types of the ancestors and its own, `$` between them. */
  readonly types: string;
  readonly type: string;
  readonly name: string;
}

/** `urn:pulumi:stack::project::types::name`, where only the name may hold `::` itself. What is no URN is all name. */
export function urnParts(urn: string): UrnParts {
  const [, , types = "", ...names] = urn.split("::");
  if (names.length === 0) return { types: "", type: "", name: urn };
  return { types, type: types.slice(types.lastIndexOf("$") + 1), name: names.join("::") };
}

/** `CspPolicy`; nothing for a type that is no dynamic resource of this package. */
export function kindOf(type: string): string | undefined {
  return type.startsWith(typePrefix) ? type.slice(typePrefix.length) : undefined;
}

/** As `kindOf`, also of what the plugin serves and of components. */
export function anyKindOf(type: string): string | undefined {
  return type.startsWith(pluginTypePrefix) ? type.slice(pluginTypePrefix.length) : kindOf(type);
}

/** The name under which the program knows it. */
export function declaredNameIn(urn: string): string {
  const { type, name } = urnParts(urn);
  return declaredName(anyKindOf(type) ?? "", name);
}

/** `CspPolicy checkout`, as the engine names it in its rows, but for what the program knows under another name. */
export function declaredAsIn(urn: string): string {
  const { type, name } = urnParts(urn);
  const kind = anyKindOf(type);
  return kind === undefined ? `${type} ${name}` : declaredAs(kind, name);
}
