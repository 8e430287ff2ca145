import { join } from "node:path";
import ts from "typescript";
import { root } from "../setup/workspace.mjs";

/** Name of the type that allows values of any form. */
const anyValue = "ApiValue";
/** Name of the type that declares only known fields, although the package accepts other fields too. */
const map = "CspDirectives";

/**
 * Returns functions that describe public types of the package as JSON schemas, each part with its name (`title`) and its doc
 * comment (`description`). Type parameters have their defaults.
 */
export function documentedTypes(resources) {
  // A file that exists only in memory. It declares a value of each type, because that gives type parameters their defaults.
  const entry = join(root, "provider", "src", "documented-types.ts");
  const lines = [
    'import type * as all from "./index";',
    ...resources.flatMap((name) => [
      `export declare const ${name}: all.${name};`,
      `export declare const ${name}Args: all.${name}Args;`,
    ]),
  ];
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === entry ? ts.createSourceFile(name, lines.join("\n"), ...rest) : getSourceFile(name, ...rest);
  const program = ts.createProgram([entry], { ...options, noEmit: true }, host);
  const checker = program.getTypeChecker();
  const exportedFrom = (file, name) =>
    checker.tryGetMemberInModuleExports(name, checker.getSymbolAtLocation(program.getSourceFile(file)));
  const typeNamed = (name) => checker.getTypeOfSymbol(exportedFrom(entry, name));

  const isUndefined = ({ flags }) => (flags & ts.TypeFlags.Undefined) !== 0;

  /** Returns the types that a value can have, without `Promise` and `Output`, in which a program may wrap it. */
  function branches(type) {
    if (!type.isUnion()) return isUndefined(type) ? [] : [type];
    return type.types
      .filter((one) => one.symbol?.name !== "Promise" && outputIn(one) === undefined)
      .flatMap(branches);
  }

  /** Returns the `Output` in a type: the SDK has an intersection, or a union of intersections if the value is a union. */
  function outputIn(type) {
    const [one] = type.isUnion() ? type.types : [type];
    const parts = one.isIntersection() ? one.types : [one];
    return parts.find(({ symbol }) => symbol?.name === "OutputInstance");
  }

  function schemaOf(types, outer = []) {
    if (types.length === 0 || types.some(({ aliasSymbol }) => aliasSymbol?.name === anyValue)) return {};
    if (types.every((type) => type.isStringLiteral()))
      return { type: "string", enum: types.map(({ value }) => value) };
    if (types.every(({ flags }) => flags & ts.TypeFlags.BooleanLike)) return { type: "boolean" };
    if (types.every(({ flags }) => flags & ts.TypeFlags.NumberLike)) return { type: "number" };
    // A list of words that may grow: `"active" | (string & {})`.
    if (types.every((type) => type.flags & ts.TypeFlags.StringLike || type.isIntersection()))
      return { type: "string" };
    if (types.every((type) => type.flags & ts.TypeFlags.Object && !checker.isArrayType(type)))
      return objectOf(types, outer);
    if (types.length > 1) {
      const words = types.filter((type) => type.isStringLiteral());
      const others = types.filter((type) => !type.isStringLiteral());
      const parts = [...(words.length > 0 ? [words] : []), ...others.map((type) => [type])];
      return { oneOf: parts.map((part) => schemaOf(part, outer)) };
    }
    const [type] = types;
    if (!checker.isArrayType(type)) return {};
    return { type: "array", items: schemaOf(branches(checker.getTypeArguments(type)[0]), outer) };
  }

  /** Returns the schema of an object. Several types are the forms that the object may have. */
  function objectOf(types, outer, innerOf = (type) => type) {
    const [first] = types;
    const values =
      first.aliasSymbol?.name === map
        ? checker.getTypeOfSymbol(checker.getPropertiesOfType(first)[0])
        : checker.getIndexInfoOfType(first, ts.IndexKind.String)?.type;
    if (values) return { type: "object", additionalProperties: schemaOf(branches(values), outer) };
    // Stop here, because the type contains itself.
    if (outer.includes(first)) return {};
    const properties = {};
    const optional = new Set();
    for (const symbol of types.flatMap((type) => checker.getPropertiesOfType(type))) {
      const { name } = symbol;
      const found = innerOf(checker.getTypeOfSymbol(symbol));
      const known = branches(found);
      const isOptional =
        (symbol.flags & ts.SymbolFlags.Optional) !== 0 ||
        (found.isUnion() && found.types.some(isUndefined)) ||
        known.length === 0 ||
        types.some((type) => !type.getProperty(name));
      if (isOptional) optional.add(name);
      if (known.length > 0)
        properties[name] = { ...schemaOf(known, [...outer, ...types]), ...documentation(symbol) };
    }
    const named = first.aliasSymbol ?? (first.symbol?.name.startsWith("__") ? undefined : first.symbol);
    return {
      type: "object",
      ...(named && { title: named.name }),
      ...(types.length === 1 && named && { typeDescription: documentation(named).description }),
      properties,
      required: Object.keys(properties).filter((name) => !optional.has(name)),
    };
  }

  function documentation(symbol) {
    // The doc comment of `Omit` in TypeScript does not describe the value.
    const isOfLanguage = symbol.declarations?.some((declaration) =>
      program.isSourceFileDefaultLibrary(declaration.getSourceFile()),
    );
    if (isOfLanguage) return {};
    const description = ts
      .displayPartsToString(symbol.getDocumentationComment(checker))
      .replace(/\{@link (?:\w+\.)?(\w+)\}/g, "`$1`");
    return description === "" ? {} : { description };
  }

  /** Returns an object with the properties that have these names, in their order. */
  function withNames({ properties, required }, names) {
    return {
      properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
      required: required.filter((name) => names.includes(name)),
    };
  }

  return {
    /** Returns the arguments of a resource with these names, in all forms that they may have. */
    argsOf(resource, names) {
      const args = schemaOf(branches(typeNamed(`${resource}Args`)));
      const lacking = names.filter((name) => args.properties?.[name] === undefined);
      if (lacking.length === 0) return withNames(args, names);
      throw new Error(`Export ${resource}Args from provider/src/index.ts, with ${lacking.join(", ")}`);
    },
    /** Returns the outputs of a resource, which a program can read. */
    outputsOf(resource) {
      const innerOf = (type) => {
        const output = outputIn(type);
        return output ? checker.getTypeArguments(output)[0] : type;
      };
      const type = typeNamed(resource);
      const all = objectOf([type], [], innerOf);
      // Every resource has `id` and `urn`.
      const names = Object.keys(all.properties).filter(
        (name) => !["id", "urn"].includes(name) && outputIn(checker.getTypeOfSymbol(type.getProperty(name))),
      );
      return { description: all.typeDescription, ...withNames(all, names) };
    },
    functionOf(name) {
      const exported = exportedFrom(join(root, "provider/src/index.ts"), name);
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures();
      const [result] = checker.getTypeArguments(signature.getReturnType());
      const [args] = signature.getParameters();
      return {
        ...documentation(symbol),
        args: schemaOf(branches(checker.getTypeOfSymbol(args))),
        result: schemaOf(branches(result)),
      };
    },
  };
}
