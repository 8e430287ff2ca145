/** How programs import what TypeDoc calls a module by this name. */
export function importName(module) {
  if (module.startsWith("page-guard-")) return module;
  return module === "index" ? "pulumi-page-guard" : `pulumi-page-guard/${module}`;
}
