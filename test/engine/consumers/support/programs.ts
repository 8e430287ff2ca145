/** The same stack, with a component in it, in each form in which people write programs. `ZONE` stands for the zone id. */
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

/** Files of the project, apart from what says which packages it needs. */
export function program(form: Form, zoneId: string): Record<string, string> {
  const text = body.replaceAll("ZONE", zoneId);
  switch (form) {
    case "CommonJS":
      return {
        "index.js": `"use strict";\nconst pulumi = require("@pulumi/pulumi");\nconst { CspPolicy, PageGuardSettings } = require("pulumi-page-guard");\n${text}exports.policyId = checkout.policyId;\n`,
        "Pulumi.yaml": project("index.js", false),
      };
    case "ESM":
      return {
        "index.js": `${imported}${text}export const policyId = checkout.policyId;\n`,
        "Pulumi.yaml": project("index.js", false),
      };
    case "TypeScript":
      return {
        "index.ts": `${imported}${text}export const policyId: unknown = checkout.policyId;\n`,
        "tsconfig.json": JSON.stringify({
          compilerOptions: {
            target: "es2022",
            module: "nodenext",
            strict: true,
            noCheck: true,
            types: ["node"],
          },
        }),
        "Pulumi.yaml": project("index.ts", true),
      };
  }
}

function project(main: string, typescript: boolean): string {
  return `name: story\nmain: ${main}\nruntime:\n  name: nodejs\n  options:\n    typescript: ${typescript}\n`;
}
