/**
 * `npm run surface` writes tools/surface/public-surface.txt from the build: everything that semantic versioning covers. With
 * `--check` it compares instead, and fails if the change since the last release has no changeset.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { run, runTool } from "./setup/run.mjs";
import { buildPackages, packages, prepareTools, root } from "./setup/workspace.mjs";
import { typesOf } from "./surface/types.mjs";

const file = "tools/surface/public-surface.txt";
const read = (path) => readFileSync(join(root, path), "utf8");
const section = (title, lines) => [title, ...lines.map((line) => `  ${line}`)];

await runTool(async () => {
  await prepareTools();
  await buildPackages();
  const require = createRequire(import.meta.url);
  require("./test/transpile.cjs");
  const { processSession, makeProgram } = require("../command/src/run");
  const types = packages.flatMap((folder) => typesOf(folder, section));
  const lines = [...types, ...flags(makeProgram(processSession(), () => {})), ...schemas(), ...tables()];
  const text = `${lines.join("\n")}\n`;
  if (!process.argv.includes("--check")) writeFileSync(join(root, file), text);
  else if (read(file) !== text)
    throw new Error(`${file} does not match the build. Run npm run surface and read its git diff.`);
  process.stdout.write(`${await changesetNeeded(text)}\n`);
});

/** Returns the flags of a command and of its subcommands, without descriptions, which may change in any version. */
function flags(command, names = []) {
  const help = command.createHelp();
  const path = [...names, command.name()];
  const options = help.visibleOptions(command).map((option) => help.optionTerm(option));
  const inner = help.visibleCommands(command).flatMap((one) => flags(one, path));
  return [...section(`command ${path.join(" ")}`, options), ...inner];
}

/** Returns the JSON Schemas, one leaf per line. */
function schemas() {
  const leaves = (value, path) =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, one]) =>
          key === "description" ? [] : leaves(one, `${path}.${key}`),
        )
      : [`${path} = ${JSON.stringify(value)}`];
  const ours = readdirSync(join(root, "command/schemas")).map((name) => `command/schemas/${name}`);
  return [...ours, "provider/plugin/schema.json"].flatMap((path) =>
    section(path, leaves(JSON.parse(read(path)), "")),
  );
}

/** Returns the first column of the documented tables of codes and variables. Tests compare these tables with the sources. */
function tables() {
  return ["errors", "findings", "csp-lint-rules", "configuration"].flatMap((page) => {
    const names = [...read(`docs/${page}.md`).matchAll(/^\| `([\w-]+)(?==?[^`]*`)|`(PAGE_GUARD_\w+)/gm)];
    const codes = new Set(names.map(([, code, variable]) => code ?? variable));
    return section(`docs/${page}.md`, [...codes].sort());
  });
}

/** Returns the size of the changeset that is needed: major if lines are gone, minor if lines are new. Throws if it is missing. */
async function changesetNeeded(now) {
  const git = async (...args) => (await run("git", args, { cwd: root })).stdout.trimEnd();
  const tag = await git("describe", "--tags", "--abbrev=0", "--match", "v*");
  if (!tag) return `The public surface matches ${file}. There is no release yet to compare with.`;
  const then = (await git("show", `${tag}:${file}`)).split("\n");
  const lines = now.trimEnd().split("\n");
  const isWithout = (some, others) => some.some((line) => !others.includes(line));
  const sizes = ["patch", "minor", "major"];
  const size = isWithout(then, lines) ? "major" : isWithout(lines, then) ? "minor" : "patch";
  const changesets = readdirSync(join(root, ".changeset")).filter((name) => name.endsWith(".md"));
  const declared = changesets.flatMap((name) => read(`.changeset/${name}`).match(/(?<=": )\w+$/gm) ?? []);
  if (size === "patch" || declared.some((one) => sizes.indexOf(one) >= sizes.indexOf(size)))
    return `Since ${tag} the public surface needs a changeset of this size: ${size}.`;
  throw new Error(`The public surface has changed since ${tag}: write a ${size} changeset (npx changeset).`);
}
