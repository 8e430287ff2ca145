import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { assembleEngine, builtCli } from "./engine-cache.mjs";
import { buildGoTool } from "./go-tool.mjs";
import { run } from "./run.mjs";
import { pinnedCli } from "./versions.mjs";
import { root } from "./workspace.mjs";

const folder = "tools/engine";

/** The last way: the CLI from its pinned Go modules, kept in our cache. `isBehind`: whatever else runs goes first. */
export async function buildEngine({ isBehind }) {
  await buildGoTool({
    executable: builtCli(),
    folder,
    linking: `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${pinnedCli}`,
    what: `the Pulumi CLI ${pinnedCli}`,
    takes: "2 to 6 minutes on 2 cores",
    isBehind,
    replaced: dictionariesReadLater,
  });
  return assembleEngine();
}

/** Rate passwords for `pulumi config set` and `pulumi env set`. */
const raters = ["github.com/ccojocar/zxcvbn-go", "github.com/nbutton23/zxcvbn-go"];

const edits = {
  "frequency/frequency.go": [["func init() {", "func Read() {"]],
  "matching/matching.go": [
    ["func init() {\n\tloadFrequencyList()\n}\n", ""],
    ["func loadFrequencyList() {", "func loadFrequencyList() {\n\tfrequency.Read()"],
  ],
};

/**
 * Both read their dictionaries whenever the CLI starts, which is half of what a start costs. Written to `to` with one change:
 * they read them when they rate the first password. Resolves with the folder of each.
 */
async function dictionariesReadLater(to) {
  const { code, stdout, stderr } = await run("go", ["list", "-find", "-f", "{{.Dir}}", ...raters], {
    cwd: join(root, folder),
  });
  if (code !== 0) throw new Error(`go list failed: ${stderr.trim()}`);
  const folders = stdout.trim().split("\n");
  return raters.map((name, index) => {
    const changed = join(to, name);
    for (const file of readdirSync(folders[index], { recursive: true })) {
      if (!file.endsWith(".go") || file.endsWith("_test.go")) continue;
      mkdirSync(dirname(join(changed, file)), { recursive: true });
      writeFileSync(join(changed, file), edited(file, readFileSync(join(folders[index], file), "utf8")));
    }
    writeFileSync(join(changed, "go.mod"), `module ${name}\n`);
    return [name, changed];
  });
}

function edited(file, text) {
  return (edits[file] ?? []).reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`${file} of zxcvbn-go is of another version`);
    return before.replace(from, to);
  }, text);
}
