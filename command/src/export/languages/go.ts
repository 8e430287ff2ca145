import { quoted } from "../../reports/escape";
import type { Language } from "../language";
import { argumentLines, block, type Line, type Syntax, withBrackets } from "../literal";
import { pluginProject, sdkCommands } from "../project-files";
import { objectName, type SchemaType } from "../schema-type";

const pulumiImport = '\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"\n';
/** As `pulumi package add` names the SDK. */
const sdkImport = '\t"example.com/pulumi-page-guard/sdk/go/pageguard"\n';

const fieldName = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const syntax: Syntax = {
  tab: "\t",
  width: 110,
  comment: "//",
  pad: "",
  scalar: (value) => {
    if (typeof value === "string") return `pulumi.String(${quoted(value)})`;
    if (typeof value === "number") return `pulumi.Float64(${value})`;
    return value === null ? "nil" : `pulumi.Bool(${value})`;
  },
  brackets: (isList, type) => {
    const object = objectName(type);
    if (object !== undefined) return [`&pageguard.${object}Args{`, "}"];
    return [`${elementName(type?.items ?? type?.additionalProperties)}${isList ? "Array" : "Map"}{`, "}"];
  },
  key: (name, type) => `${objectName(type) === undefined ? quoted(name) : fieldName(name)}: `,
  argument: (name) => `${fieldName(name)}: `,
  align,
  resource(resource) {
    const { kind, name } = resource;
    const lines = [{ key: "ZoneId: ", value: "zoneID" }, ...argumentLines(syntax, resource, 1)];
    const open = `if _, err := pageguard.New${kind}(ctx, ${quoted(name)}, &pageguard.${kind}Args{`;
    return `${block(syntax, open, lines, "}", 0)}, pulumi.Protect(true)); err != nil {\n\treturn err\n}`;
  },
  file: ({ zone }, name, remarks, resources) => [
    "package zones",
    "",
    `import (\n${sdkImport}${pulumiImport})`,
    "",
    ...name,
    ...(name.length > 0 ? [""] : []),
    "func init() {",
    "\tzones = append(zones, func(ctx *pulumi.Context) error {",
    `\t\tzoneID := pulumi.String(${quoted(zone.id)})`,
    ...[...remarks, ...resources].map((text) => text.replace(/^(?=.)/gm, "\t\t")),
    "\t\treturn nil\n\t})\n}\n",
  ],
  empty: (comments) => ["package zones", "", ...comments],
  fileOf: (slug) => `zones/${slug}.go`,
  index: () => ({ "zones/index.go": declareAll }),
};

/** `pulumi.StringArrayMap` is a map of lists of texts. */
function elementName(type: SchemaType | undefined): string {
  const object = objectName(type);
  if (object !== undefined) return `pageguard.${object}`;
  if (type?.items) return `${elementName(type.items)}Array`;
  return type?.type === "string" ? "pulumi.String" : "pulumi.";
}

/** As gofmt does it. Around keys of more than 40 characters its rule is another one, so these are set apart. */
function align(lines: readonly Line[]): readonly Line[] {
  if (lines.some(({ key }) => !/^[\x20-\x7e]{0,42}$/.test(key)))
    return lines.map((line, index) => ({ ...line, isApart: index > 0 }));
  const isShort = (at: number): boolean => lines[at]?.value.includes("\n") === false;
  return lines.map((line, index) => {
    if (!isShort(index)) return line;
    let [first, last] = [index, index];
    while (isShort(first - 1)) first -= 1;
    while (isShort(last + 1)) last += 1;
    const width = Math.max(...lines.slice(first, last + 1).map(({ key }) => key.length));
    return { ...line, key: line.key.padEnd(width) };
  });
}

/** The files of the zones register themselves. */
const declareAll = `// Package zones declares what the zones have.
package zones

import (
${pulumiImport})

var zones []func(*pulumi.Context) error

// Declare declares all zones.
func Declare(ctx *pulumi.Context) error {
	for _, declare := range zones {
		if err := declare(ctx); err != nil {
			return err
		}
	}
	return nil
}
`;

export const go: Language = {
  ...withBrackets(syntax),
  project: (name) => ({
    ...pluginProject(name, "runtime: go\n"),
    "go.mod": `module example.com/${name}\n\ngo 1.25\n\nrequire github.com/pulumi/pulumi/sdk/v3 v3.259.0\n`,
    ".gitignore": "node_modules/\nsdks/\n",
    "main.go": `package main\n\nimport (\n\t"example.com/${name}/zones"\n\n${pulumiImport})\n\nfunc main() {\n\tpulumi.Run(zones.Declare)\n}\n`,
  }),
  commands: sdkCommands,
};
