import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ComponentResourceOptions, CustomResourceOptions } from "@pulumi/pulumi";
import { resourceOptions } from "../../../command/src/preview/options";

type Name = keyof CustomResourceOptions | keyof ComponentResourceOptions;

describe("The table of resource options", () => {
  it("has each option of Pulumi, and stands in the documentation as the code has it", () => {
    // Typed by Pulumi's names: a new one does not compile until it is here, and one that is gone neither.
    const all: Readonly<Record<Name, true>> = {
      additionalSecretOutputs: true,
      aliases: true,
      customTimeouts: true,
      deleteBeforeReplace: true,
      deletedWith: true,
      dependsOn: true,
      envVarMappings: true,
      hideDiffs: true,
      hooks: true,
      id: true,
      ignoreChanges: true,
      import: true,
      parent: true,
      pluginDownloadURL: true,
      protect: true,
      provider: true,
      providers: true,
      replaceOnChanges: true,
      replaceWith: true,
      replacementTrigger: true,
      retainOnDelete: true,
      transformations: true,
      transforms: true,
      urn: true,
      version: true,
    };
    assert.deepEqual(Object.keys(resourceOptions).sort(), Object.keys(all).sort());
    const rows = Object.entries(resourceOptions).map(
      ([name, { by, test }]) => `| \`${name}\` | ${by} | ${test} |\n`,
    );
    for (const [name, { test }] of Object.entries(resourceOptions)) {
      const [, file] = /^`(test\/.*)`$/.exec(test) ?? [];
      if (file !== undefined) assert.ok(readFileSync(file, "utf8").includes(name), `${file} tests ${name}`);
    }
    const page = readFileSync("docs/commands/apply.md", "utf8");
    assert.ok(
      page.includes(`\n| option | compared by | test |\n|---|---|---|\n${rows.join("")}\n`),
      rows.join(""),
    );
  });
});
