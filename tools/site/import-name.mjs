/** Returns the name by which programs import a module of TypeDoc. */
export function importName(module) {
  if (module.startsWith("page-guard-")) return module;
  return module === "index" ? "pulumi-page-guard" : `pulumi-page-guard/${module}`;
}
