import { quoted } from "../../reports/escape";
import type { Language } from "../language";
import { argumentLines, block, type Syntax, withBrackets } from "../literal";
import { pluginProject, sdkCommands } from "../project-files";
import { objectName, partType } from "../schema-type";

/** As the SDK names arguments. */
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const keywords: ReadonlyMap<unknown, string> = new Map([
  [true, "True"],
  [false, "False"],
  [null, "None"],
]);

const syntax: Syntax = {
  tab: "    ",
  width: 88,
  comment: "#",
  pad: "",
  scalar: (value) => (typeof value === "string" ? quoted(value) : (keywords.get(value) ?? String(value))),
  brackets: (isList) => (isList ? ["[", "]"] : ["{", "}"]),
  key: (name, type) => {
    const isField = objectName(type) !== undefined && partType(type, name) !== undefined;
    return `${quoted(isField ? snakeCase(name) : name)}: `;
  },
  argument: (name) => `${snakeCase(name)}=`,
  resource(resource) {
    const lines = [
      { key: "", value: quoted(resource.name) },
      { key: "zone_id=", value: "zone_id" },
      ...argumentLines(syntax, resource, 1),
      { key: "opts=", value: "pulumi.ResourceOptions(protect=True)" },
    ];
    return block(syntax, `page_guard.${resource.kind}(`, lines, ")", 0);
  },
  file: ({ zone }, name, remarks, resources) => [
    "import pulumi",
    "import pulumi_page_guard as page_guard",
    "",
    ...name,
    `zone_id = ${quoted(zone.id)}`,
    "",
    ...remarks,
    `${resources.join("\n\n")}\n`,
  ],
  empty: (comments) => comments,
  // A zone's name has no two dashes in a row, so that no two have one module.
  fileOf: (slug) => `zones/${slug.replaceAll("-", "_")}.py`,
  index: () => ({ "zones/__init__.py": loadAll }),
};

/** Loads modules of any name: a zone may be called `class` or `4shop`. */
const loadAll = `"""Declares what the zones have."""

from importlib import import_module
from pkgutil import iter_modules

for module in iter_modules(__path__):
    import_module(f".{module.name}", __name__)
`;

const runtime = "runtime:\n  name: python\n  options:\n    toolchain: pip\n    virtualenv: venv\n";

export const python: Language = {
  ...withBrackets(syntax),
  project: (name) => ({
    ...pluginProject(name, runtime),
    "requirements.txt": "pulumi>=3.231.0,<4.0.0\n",
    ".gitignore": "node_modules/\nsdks/\nvenv/\n__pycache__/\n",
    "__main__.py": "import zones  # noqa: F401\n",
  }),
  commands: sdkCommands,
};
