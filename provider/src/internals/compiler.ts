// Without it: `page-guard export` cannot read programs in a project without TypeScript.
import type ts from "typescript";

/** TypeScript of the project; where it has none, the one that Pulumi brings along. */
export function loadCompiler(): typeof ts {
  return require("@pulumi/pulumi/typescript-shim");
}
