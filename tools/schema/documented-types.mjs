import { join } from "node:path";
import ts from "typescript";
import { root } from "../setup/workspace.mjs";

/** Names of the types of the package that allow values of any form. */
const anyValues = new Set(["ApiValue"]);
/** Names of the types whose fields the compiler limits to those that it knows, while the package accepts more. */
const maps = new Set(["CspDirectives"]);

/**
 * Returns functions that describe public types of the package as JSON schemas, each part with its name (`title`) and its doc
 * comment (`description`). Type parameters have their defaults.
 */
export function documentedTypes({ resources, functions }) {
  const entry = join(root, "provider", "src", "documented-types.ts");
  const lines = [
    'import type * as all from "./index";',
    ...resources.flatMap((name) => [
      `export declare const ${name}: all.${name};`,
      `export declare const ${name}Args: all.${name}Args;`,
    ]),
    ...functions.map((name) => `export declare const ${name}: typeof all.${name};`),
  ];
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === entry ? ts.createSourceFile(name, lines.join("\n"), ...rest) : getSourceFile(name, ...rest);
  const program = ts.createProgram([entry], { ...options, noEmit: true }, host);
  const checker = program.getTypeChecker();
  const types = new Map(
    checker
      .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)))
      .map((symbol) => [symbol.name, checker.getTypeOfSymbol(symbol)]),
  );

  /** Exports of the package itself: a function may be a constant whose doc comment its type does not have. */
  const [index] = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.endsWith("provider/src/index.ts"));
  const own = new Map(
    checker
      .getExportsOfModule(checker.getSymbolAtLocation(index))
      .map((symbol) => [
        symbol.name,
        symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
      ]),
  );

  /** Returns the types that a value can have, without `Promise` and `Output`, in which a program may wrap it. */
  function branches(type) {
    if (!type.isUnion()) return [type];
    return type.types
      .filter((one) => !(one.flags & ts.TypeFlags.Undefined))
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
    if (types.length === 0 || types.some(({ aliasSymbol }) => anyValues.has(aliasSymbol?.name))) return {};
    if (types.every((type) => type.isStringLiteral())) {
      return { type: "string", enum: types.map(({ value }) => value) };
    }
    if (types.every((type) => type.flags & ts.TypeFlags.BooleanLike)) return { type: "boolean" };
    // A list of words that may grow: `"active" | (string & {})`.
    if (types.every((type) => type.flags & ts.TypeFlags.StringLike || type.isIntersection())) {
      return { type: "string" };
    }
    if (types.length > 1 && types.every((type) => type.flags & ts.TypeFlags.Object && !isList(type))) {
      return objectOf(types, outer);
    }
    if (types.length > 1) {
      const words = types.filter((type) => type.isStringLiteral());
      const others = types.filter((type) => !type.isStringLiteral());
      const parts = [...(words.length > 0 ? [words] : []), ...others.map((type) => [type])];
      return { oneOf: parts.map((part) => schemaOf(part, outer)) };
    }
    const [type] = types;
    if (type.flags & ts.TypeFlags.StringLike) return { type: "string" };
    if (type.flags & ts.TypeFlags.NumberLike) return { type: "number" };
    if (isList(type)) {
      return { type: "array", items: schemaOf(branches(checker.getTypeArguments(type)[0]), outer) };
    }
    if (type.flags & ts.TypeFlags.Object) return objectOf([type], outer);
    return {};
  }

  function isList(type) {
    return checker.isArrayType(type);
  }

  /** Returns the schema of an object. Several types are the forms that the object may have. */
  function objectOf(types, outer, innerOf = (type) => type) {
    const values = maps.has(types[0].aliasSymbol?.name)
      ? checker.getTypeOfSymbol(checker.getPropertiesOfType(types[0])[0])
      : checker.getIndexInfoOfType(types[0], ts.IndexKind.String)?.type;
    if (values) return { type: "object", additionalProperties: schemaOf(branches(values), outer) };
    // The type contains itself.
    if (outer.includes(types[0])) return {};
    const properties = {};
    const optional = new Set();
    for (const type of types) {
      for (const symbol of checker.getPropertiesOfType(type)) {
        const found = innerOf(checker.getTypeOfSymbol(symbol));
        const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0 || admitsUndefined(found);
        if (isOptional || types.some((other) => !other.getProperty(symbol.name))) optional.add(symbol.name);
        const known = branches(found).filter((one) => !(one.flags & ts.TypeFlags.Undefined));
        if (known.length === 0) optional.add(symbol.name);
        else properties[symbol.name] = { ...schemaOf(known, [...outer, ...types]), ...documentation(symbol) };
      }
    }
    const [{ aliasSymbol, symbol }] = types;
    const named = aliasSymbol ?? (symbol?.name.startsWith("__") ? undefined : symbol);
    return {
      type: "object",
      ...(named && { title: named.name }),
      ...(types.length === 1 && named && { typeDescription: documentation(named).description }),
      properties,
      required: Object.keys(properties).filter((name) => !optional.has(name)),
    };
  }

  function admitsUndefined(type) {
    return type.isUnion() && type.types.some((one) => one.flags & ts.TypeFlags.Undefined);
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
    const deprecated = symbol.getJsDocTags(checker).find(({ name }) => name === "deprecated");
    return {
      ...(description !== "" && { description }),
      ...(deprecated && { deprecationMessage: ts.displayPartsToString(deprecated.text) }),
    };
  }

  return {
    /** Returns the arguments of a resource with these names, in all forms that they may have. */
    argsOf(resource, names) {
      const { properties = {}, required } = schemaOf(branches(types.get(`${resource}Args`)));
      for (const name of names)
        if (properties[name] === undefined)
          throw new Error(`Export ${resource}Args from provider/src/index.ts, with the argument ${name}`);
      return {
        properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
        required: required.filter((name) => names.includes(name)),
      };
    },
    /** Returns the outputs of a resource, which a program can read. */
    outputsOf(resource) {
      const innerOf = (type) => {
        const output = outputIn(type);
        return output ? checker.getTypeArguments(output)[0] : type;
      };
      const { typeDescription, properties, required } = objectOf([types.get(resource)], [], innerOf);
      const isOutput = (symbol) => symbol && outputIn(checker.getTypeOfSymbol(symbol)) !== undefined;
      // Every resource has `id` and `urn`.
      const isOwn = (name) =>
        !["id", "urn"].includes(name) && isOutput(types.get(resource).getProperty(name));
      return {
        description: typeDescription,
        properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isOwn(name))),
        required: required.filter(isOwn),
      };
    },
    functionOf(name) {
      const type = types.get(name);
      const [signature] = checker.getSignaturesOfType(type, ts.SignatureKind.Call);
      const [result] = checker.getTypeArguments(signature.getReturnType());
      return {
        ...documentation(own.get(name)),
        args: schemaOf(branches(checker.getTypeOfSymbol(signature.getParameters()[0]))),
        result: schemaOf(branches(result)),
      };
    },
  };
}
