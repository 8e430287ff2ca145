/** The body of a program with a component, the same for each form of program. `ZONE` stands for the zone id. */
const body = `
const shop = new pulumi.ComponentResource("story:index:Shop", "shop");
const watch = new PageGuardSettings("watch", { zoneId: "ZONE", enabled: true }, { parent: shop });
const checkout = new CspPolicy("checkout", {
  zoneId: "ZONE",
  description: "checkout",
  action: "log",
  expression: 'http.host eq "shop.example.com"',
  directives: { "script-src": ["'self'"], "object-src": ["'none'"], "base-uri": ["'self'"] },
}, { parent: shop, dependsOn: [watch] });
`;

export type Form = "CommonJS" | "ESM" | "TypeScript";

const imported =
  'import * as pulumi from "@pulumi/pulumi";\nimport { CspPolicy, PageGuardSettings } from "pulumi-page-guard";\n';
const required =
  '"use strict";\nconst pulumi = require("@pulumi/pulumi");\nconst { CspPolicy, PageGuardSettings } = require("pulumi-page-guard");\n';
/** Compiler options for a TypeScript program whose types another test checks. */
export const compilerOptions = {
  target: "es2022",
  module: "nodenext",
  strict: true,
  noCheck: true,
  types: ["node"],
};

/** The files of a project, except package.json. */
export function program(form: Form, zoneId: string): Record<string, string> {
  const text = body.replaceAll("ZONE", zoneId);
  const isTyped = form === "TypeScript";
  const main = isTyped ? "index.ts" : "index.js";
  const [head, exported] =
    form === "CommonJS" ? [required, "exports.policyId"] : [imported, "export const policyId"];
  return {
    [main]: `${head}${text}${exported}${isTyped ? ": unknown" : ""} = checkout.policyId;\n`,
    "Pulumi.yaml": `name: story\nmain: ${main}\nruntime:\n  name: nodejs\n  options:\n    typescript: ${isTyped}\n`,
    ...(isTyped && { "tsconfig.json": JSON.stringify({ compilerOptions }) }),
  };
}
