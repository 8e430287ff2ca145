import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../setup/workspace.mjs";
import { documentedTypes } from "./documented-types.mjs";
import { TypeRegistry, tokenOf } from "./type-registry.mjs";

const require = createRequire(import.meta.url);

/**
 * Returns the schema of the provider plugin: inputs and outputs of the resources, and arguments and results of the functions,
 * all with the types and doc comments of the package.
 */
export function pluginSchema() {
  require("../test/transpile.cjs");
  const { kinds } = require("../../provider/src/resources/kinds");
  const { invokes } = require("../../provider/src/plugin/invokes");
  const { providerInputs } = require("../../provider/src/plugin/provider-inputs");
  const { description, license } = JSON.parse(readFileSync(join(root, "provider", "package.json"), "utf8"));

  // A resource `…Step` is the only child of the component with the same name but without `Step`.
  const declared = mapEntries(kinds, (name, load) => [name.replace(/Step$/, ""), load()]);
  const documented = documentedTypes(Object.keys(declared));
  const registry = new TypeRegistry();

  const resourceOf = (name, { shape, replacedBy }) => {
    const isComponent = !Object.hasOwn(kinds, name);
    const inputs = documented.argsOf(name, Object.keys(shape));
    const outputs = documented.outputsOf(name);
    const inputProperties = registry.propertiesOf(inputs);
    const properties = registry.propertiesOf(sameWords(outputs, inputs));
    // `willReplaceOnChanges` only announces a replacement. The provider decides, because it compares values by meaning.
    for (const replacing of isComponent ? [] : replacedBy) {
      if (properties[replacing] === undefined)
        throw new Error(
          `Declare ${replacing} as an output of ${name}, since a change of it replaces the resource`,
        );
      for (const set of [inputProperties, properties]) set[replacing].willReplaceOnChanges = true;
    }
    // This input must be plain, because it decides whether the resource is protected.
    if (inputProperties.allowForget) inputProperties.allowForget.plain = true;
    const resource = {
      description: outputs.description,
      ...(isComponent && { isComponent }),
      properties,
      required: outputs.required,
      inputProperties,
      requiredInputs: inputs.required,
    };
    return [tokenOf(name), resource];
  };

  const functionOf = (name, { list }) => {
    const { args, result, description: text } = documented.functionOf(name);
    const answer = list === undefined ? result : { properties: { [list]: result }, required: [list] };
    const objectOf = (schema) => ({
      type: "object",
      properties: registry.propertiesOf(schema),
      required: schema.required,
    });
    return [tokenOf(name), { description: text, inputs: objectOf(args), outputs: objectOf(answer) }];
  };

  const settings = mapEntries(providerInputs, (name, { description: text, isSecret }) => [
    name,
    { type: "string", description: text, ...(isSecret && { secret: true }) },
  ]);
  const schema = {
    name: "page-guard",
    displayName: "Page Guard",
    description,
    license,
    // Path that `pulumi package add` uses anyway. Without it, `pulumi import` writes Go programs that import another path.
    language: { go: { importBasePath: "example.com/pulumi-page-guard/sdk/go/pageguard" } },
    config: { variables: settings },
    provider: { inputProperties: settings },
    resources: mapEntries(declared, resourceOf),
    functions: mapEntries(invokes, functionOf),
  };
  const types = Object.entries(registry.types).sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...schema, types: Object.fromEntries(types) };
}

/** Returns the outputs. An output that repeats an input has the description of the input. */
function sameWords(outputs, inputs) {
  const properties = mapEntries(outputs.properties, (name, output) => {
    const { description } = inputs.properties[name] ?? {};
    return [name, { ...(description && { description }), ...output }];
  });
  return { ...outputs, properties };
}

const mapEntries = (of, map) =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => map(name, value)));
