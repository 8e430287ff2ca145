/** `npm run check:package`: packs the packages as npm would publish them, and checks the tarballs, not the folders. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pack } from "./setup/package.mjs";
import { run, runTool } from "./setup/run.mjs";
import { buildPackages, prepareTools, root } from "./setup/workspace.mjs";

/** Files that every tarball may have. `also` adds files for each package; any other file is a mistake. */
const everywhere = [/^dist\/.+\.(js|d\.ts)$/, /^(README\.md|LICENSE|package\.json)$/];
const also = {
  "page-guard-csp": [],
  "pulumi-page-guard": [
    /^docs\/.+\.(md|html)$/,
    /^plugin\/(index\.js|pulumi-resource-page-guard(\.cmd)?|package\.json|PulumiPlugin\.yaml|schema\.json)$/,
    /^(examples|templates)\/[\w./-]+$/,
    /^(SECURITY|CHANGELOG)\.md$/,
  ],
  "page-guard": [/^schemas\/\w+\.schema\.json$/, /^ci\/[\w-]+\.sh$/],
  "page-guard-simulator": [],
};
/** Required files that no field of a package.json names. Therefore publint does not check them. */
const needed = {
  "pulumi-page-guard": ["plugin/index.js", "templates/go/go.mod"],
  "page-guard": ["ci/plan.sh"],
};
/** Number of files that a tarball has to stay below, because an installation unpacks them one by one. */
const mostFiles = 150;

await runTool(async () => {
  await prepareTools();
  await buildPackages();
  const folder = mkdtempSync(join(tmpdir(), "page-guard-package-"));
  try {
    const problems = [];
    for (const { name, tarball, files } of await pack(folder)) {
      // `page-guard` is a command without an entry point. Only that command uses the entry point `tools`, which has no public types.
      const notForUsers = { "page-guard": ".", "pulumi-page-guard": "tools" }[name];
      const noEntry = notForUsers ? ["--exclude-entrypoints", notForUsers] : [];
      const readme = await run("tar", ["-xzOf", tarball, "package/README.md"]);
      problems.push(
        ...contentProblems(name, files, readme.stdout),
        ...(await toolProblems("publint", ["run", tarball, "--strict"])),
        ...(await toolProblems("attw", [tarball, "--no-emoji", "--format", "ascii", ...noEntry])),
      );
    }
    if (problems.length > 0) throw new Error(problems.join("\n\n"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write("No problem found in the packages.\n");
});

function contentProblems(name, files, readme) {
  const allowed = [...everywhere, ...also[name]];
  const unneeded = files.filter((file) => !allowed.some((pattern) => pattern.test(file)));
  const missing = ["README.md", "LICENSE", ...(needed[name] ?? [])].filter((file) => !files.includes(file));
  const dead = [...readme.matchAll(/\]\(([^)#\s]+)[^)]*\)| src(?:set)?="([^"]+)"/g)]
    .map(([, link, picture]) => link ?? picture)
    // Skips links to the rest of the project, which work on a forge but not in the package from npm.
    .filter((target) => !/^([a-z]+:|\.\.\/)/.test(target))
    .filter((target) => !files.some((file) => file === target || file.startsWith(`${target}/`)));
  return [
    ...(files.length < mostFiles ? [] : [`${name} has ${files.length} files, not below ${mostFiles}.`]),
    ...dead.map((target) => `The README of ${name} links to ${target}, which is not in it.`),
    ...unneeded.map(
      (file) =>
        `The tarball of ${name} contains ${file}, which no one needs: see "files" in its package.json.`,
    ),
    ...missing.map((file) => `The tarball of ${name} does not contain ${file}.`),
  ];
}

async function toolProblems(name, args) {
  const { code, output } = await run(join(root, "node_modules/.bin", name), args, { cwd: root });
  process.stdout.write(output);
  return code === 0 ? [] : [`${name} found faults (exit ${code}), see above.`];
}
