/** `npm run check:package`: packs the package as npm would publish it, and checks the tarball, not the folder. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pack } from "./setup/package.mjs";
import { run } from "./setup/run.mjs";
import { buildPackage, prepareTools, root } from "./setup/workspace.mjs";

/** Whatever else is in the tarball was put there by mistake. */
const published = [
  /^dist\/.+\.(js|d\.ts)$/,
  /^docs\/.+\.(md|html|png)$/,
  /^plugin\/(index\.js|pulumi-resource-page-guard(\.cmd)?|package\.json|PulumiPlugin\.yaml|schema\.json)$/,
  /^examples\/[\w./-]+$/,
  /^schemas\/\w+\.schema\.json$/,
  /^((README|SECURITY|CHANGELOG|CONTRIBUTING)\.md|LICENSE|package\.json)$/,
];

const folder = mkdtempSync(join(tmpdir(), "page-guard-package-"));
try {
  await prepareTools();
  await buildPackage();
  const tarball = await pack(folder);
  const problems = [
    ...(await contentProblems(tarball)),
    ...(await toolProblems("publint", ["run", tarball, "--strict"])),
    ...(await toolProblems("attw", [tarball, "--no-emoji", "--format", "ascii"])),
  ];
  if (problems.length > 0) throw new Error(problems.join("\n\n"));
  process.stdout.write("The package is as it should be.\n");
} catch (error) {
  process.stdout.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function contentProblems(tarball) {
  const listed = await run("tar", ["-tzf", tarball]);
  if (listed.code !== 0) return [`${tarball} can't be read: ${listed.stderr}`];
  const files = listed.stdout
    .trim()
    .split("\n")
    .map((line) => line.replace(/^package\//, ""));
  const foreign = files.filter((file) => !published.some((pattern) => pattern.test(file)));
  const missing = ["README.md", "LICENSE", "dist/index.js", "dist/runtime.js", "plugin/index.js"].filter(
    (file) => !files.includes(file),
  );
  const readme = await run("tar", ["-xzOf", tarball, "package/README.md"]);
  const dead = [...readme.stdout.matchAll(/\]\(([^)#\s]+)[^)]*\)| src(?:set)?="([^"]+)"/g)]
    .map(([, link, picture]) => link ?? picture)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => !files.some((file) => file === target || file.startsWith(`${target}/`)));
  return [
    ...dead.map((target) => `The README in the tarball links to ${target}, which is not in it.`),
    ...foreign.map(
      (file) => `The tarball contains ${file}, which no one needs: see "files" in provider/package.json.`,
    ),
    ...missing.map((file) => `The tarball lacks ${file}.`),
  ];
}

async function toolProblems(name, args) {
  const result = await run(join(root, "node_modules", ".bin", name), args, { cwd: root });
  process.stdout.write(result.stdout);
  return result.code === 0 ? [] : [`${name} found faults (exit ${result.code}), see above. ${result.stderr}`];
}
