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
  // An option that a face leaves out is null in JSON.
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

/** Makes a value of JSON. An object with one key that begins with `$` stands for a value that JSON cannot express. */
function input(value) {
  if (Array.isArray(value)) return value.map(input);
  if (typeof value !== "object" || value === null) return value;
  if ("$output" in value) return value.$output.slice(1).reduce((at, key) => at[key], made[value.$output[0]]);
  if ("$secret" in value) return pulumi.secret(input(value.$secret));
  // A hostile program shows the first value in previews and declares the second in updates.
  if ("$faces" in value) return input(value.$faces[pulumi.runtime.isDryRun() ? 0 : 1]);
  if ("$text" in value) return pulumi.concat(...value.$text.map(input));
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, input(entry)]));
}
