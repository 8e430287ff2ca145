// The program of every story: it declares what declaration.json says, so that a step of a story only changes data.
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const pulumi = require("@pulumi/pulumi");
const pageGuard = require("pulumi-page-guard");

const declaration = JSON.parse(readFileSync(join(__dirname, "declaration.json"), "utf8"));
const made = {};

for (const [name, { kind, args, options }] of Object.entries(declaration)) {
  if (kind === "Export") {
    exports[name] = input(args.value);
    continue;
  }
  // JSON has null for what a face leaves out.
  const given = Object.fromEntries(Object.entries(input(options)).filter(([, value]) => value !== null));
  const linked = { ...given };
  for (const option of ["parent", "deletedWith"]) if (given[option]) linked[option] = made[given[option]];
  for (const option of ["dependsOn", "replaceWith"])
    if (given[option]) linked[option] = given[option].map((other) => made[other]);
  if (given.hooks) linked.hooks = { afterUpdate: [new pulumi.ResourceHook(given.hooks, () => {})] };
  made[name] =
    kind === "Component"
      ? new pulumi.ComponentResource("story:index:Component", name, {}, linked)
      : new pageGuard[kind](name, input(args), linked);
}

/** Declarations are JSON: what JSON cannot say stands in it as an object with one key that begins with `$`. */
function input(value) {
  if (Array.isArray(value)) return value.map(input);
  if (typeof value !== "object" || value === null) return value;
  if ("$output" in value) return value.$output.slice(1).reduce((at, key) => at[key], made[value.$output[0]]);
  if ("$secret" in value) return pulumi.secret(input(value.$secret));
  // What a hostile program shows and what it does.
  if ("$faces" in value) return input(value.$faces[pulumi.runtime.isDryRun() ? 0 : 1]);
  if ("$text" in value) return pulumi.concat(...value.$text.map(input));
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, input(entry)]));
}
