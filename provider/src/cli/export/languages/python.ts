import { quoted } from "../../../reports/escape";
import type { Language } from "../language";
import { argumentLines, block, commentLines, policyEntries, type Syntax } from "../literal";
import type { ProgramResource, ZoneProgram } from "../program";
import { pluginNotes, pluginProject } from "../project-files";
import { unreadFiles } from "../read-program";
import { objectName, partType } from "../schema-type";

export const python: Language = {
  fence: "python",
  files: filesOf,
  text: (programs) => programs.map(zoneText).join("\n"),
  index: () => ({ "zones/__init__.py": loadAll }),
  project: (name) => ({
    ...pluginProject(
      name,
      "runtime:\n  name: python\n  options:\n    toolchain: pip\n    virtualenv: venv\n",
    ),
    "requirements.txt": "pulumi>=3.231.0,<4.0.0\n",
    ".gitignore": "node_modules/\nsdks/\nvenv/\n__pycache__/\n",
    "__main__.py": "import zones  # noqa: F401\n",
  }),
  notes: (read) => [
    ...pluginNotes(read, "python"),
    ...(/^\s*(?:import|from)\s+zones\b/m.test(read("__main__.py") ?? "")
      ? []
      : ["Your `__main__.py` does not load the zones: add `import zones` to it."]),
  ],
  commands: () => ({ "npm install": "", "pulumi install": "generates the SDK of the plugin" }),
  read: (folder, slugs) => unreadFiles(folder, slugs.flatMap(filesOf)),
  resource: resourceText,
  policies: (set) => policyEntries(syntax, set),
};

/** A zone's name has no two dashes in a row. */
function filesOf(slug: string): [main: string, beside: string] {
  const name = slug.replaceAll("-", "_");
  return [`zones/${name}.py`, `zones/${name}__new.py`];
}

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
};

/** Loads modules of any name: a zone may be called `class` or `4shop`. */
const loadAll = `"""Declares what the zones have."""

from importlib import import_module
from pkgutil import iter_modules

for module in iter_modules(__path__):
    import_module(f".{module.name}", __name__)
`;

function zoneText({ zone, remarks, resources }: ZoneProgram): string {
  const head = zone.name === zone.id ? [] : commentLines(syntax, [zone.name]);
  const notes = commentLines(syntax, remarks);
  if (resources.length === 0)
    return [...head, ...notes, `# Nothing of zone ${zone.id} is declared.`, ""].join("\n");
  return [
    "import pulumi",
    "import pulumi_page_guard as page_guard",
    "",
    ...head,
    `zone_id = ${quoted(zone.id)}`,
    "",
    ...notes,
    `${resources.map(resourceText).join("\n\n")}\n`,
  ].join("\n");
}

function resourceText(resource: ProgramResource): string {
  const lines = [
    { key: "", value: quoted(resource.name) },
    { key: "zone_id=", value: "zone_id" },
    ...argumentLines(syntax, resource, 1),
    { key: "opts=", value: "pulumi.ResourceOptions(protect=True)" },
  ];
  return [
    ...commentLines(syntax, resource.remarks),
    block(syntax, `page_guard.${resource.kind}(`, lines, ")", 0),
  ].join("\n");
}
