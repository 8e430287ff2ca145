import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Simulator, startSimulator } from "../../../simulator/src";
import { codeBlocks, documentedCommands } from "../../support/documented-commands";
import { each } from "../../support/each";
import { newPlace } from "../real-engine/engine";
import * as installation from "./support/installation";
import { root, temporaryFolder } from "./support/installation";

const zoneId = "8f14e45fceea167a5a36dedd4bea2543";
const zonesOfFleet = [zoneId, "c9f0f895fb98ab9159f51fd0297e236d", "45c48cce2e2d7fbdea1afc51c7c6ad26"];

/** The lines of a README that this test runs, and the contents of the zone. */
interface Played {
  readonly lines: RegExp;
  readonly seed?: object;
}

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const first = /^(?:pulumi (?:stack init|config set zoneId|preview|up)|npx page-guard (?:review|apply))/;

const mistake = `import { PageGuardSettings as Settings } from "pulumi-page-guard";
new Settings("mistake", { zoneId: "", enabled: "yes" });
`;

/**
 * The lines of each README that this test runs, in their order. The others belong to a later week or another project. The
 * stories of templates.test.ts and languages.test.ts run those of the templates.
 */
const played: Readonly<Record<string, Played>> = {
  "examples/adopt": {
    lines: /^pulumi (?:stack init|import|preview)|^npx page-guard (?:export|drift)/,
    seed: json<object>("examples/adopt/zone.json"),
  },
  "examples/audit": { lines: /^npx page-guard report/, seed: json<object>("examples/audit/zone.json") },
  "examples/csp-rollout": {
    lines: /^npm run suggest|^pulumi (?:stack init|config set zoneId|preview --diff)/,
  },
  "examples/fleet": { lines: /^for |^npx page-guard fleet/ },
  "examples/quickstart": { lines: first },
  "examples/waf-entrypoint": { lines: first, seed: { entrypoint: { rules: [] } } },
};

/** Each example and template with packages of its own. */
const folders = ["examples", "templates"].flatMap((kind) =>
  readdirSync(join(root, kind))
    .map((name) => `${kind}/${name}`)
    .filter((folder) => existsSync(join(root, folder, "package.json"))),
);

describe("Each example and template, copied out of this repository", function () {
  this.timeout(600_000);

  let sim: Simulator;
  let tarballs: Readonly<Record<string, string>>;
  /** Packages that npm has installed, by the names of the dependencies. Later copies link them, or their files. */
  const installed = new Map<string, string>();

  before(async () => {
    sim = await startSimulator();
    tarballs = await installation.packAll(temporaryFolder("tarball"));
  });

  after(async () => {
    await sim?.stop();
    installation.removeAll();
  });

  for (const folder of folders) {
    it(`${folder}: npm installs the commands that its README names, and they run`, async () => {
      const copy = await installedCopy(folder);
      const page = readFileSync(join(root, folder, "README.md"), "utf8");
      const { scripts = {} } = json<Manifest>(`${folder}/package.json`);
      const named = [...documentedCommands(page), ...Object.values(scripts).map((line) => line.split(" "))];
      const ours = new Set(named.map(([name = ""]) => name).filter((name) => name.startsWith("page-guard")));
      const missing = [...ours].filter((name) => !existsSync(join(copy, "node_modules/.bin", name)));
      assert.deepEqual(missing, folder === "examples/adopt" ? ["page-guard-simulator"] : []);
      if (folder === "examples/quickstart")
        // The shipped workflows run this script (docs/pipelines.md).
        assert.ok(existsSync(join(copy, "node_modules/page-guard/ci/preview.sh")));

      const { lines, seed } = played[folder] ?? {};
      const isFleet = folder === "examples/fleet";
      const zones = isFleet ? zonesOfFleet : [zoneId];
      for (const id of zones) sim.zones.seed(id, { plan: "enterprise", ...seed });
      sim.journal.clear();
      if ("check" in scripts) await expectCheck(copy);
      const typed = typedLines(page).filter((line) => lines?.test(line));
      await play(copy, typed);
      if (isFleet)
        for (const id of zones)
          assert.deepEqual(each(sim.changing({ zoneId: id }), "method")?.sort(), ["POST", "PUT"]);
    });
  }

  /** Expects that the script `check` finds a mistake in the program, and nothing else. */
  async function expectCheck(copy: string): Promise<void> {
    const file = join(copy, "index.ts");
    const program = readFileSync(file, "utf8");
    writeFileSync(file, `${program}\n${mistake}`);
    const checking = promisify(execFile)("npm", ["run", "check"], { cwd: copy });
    const { stdout } = await checking.catch((error: { stdout: string }) => error);
    const [only = "", ...others] = stdout.match(/^.*error TS.*$/gm) ?? [];
    assert.deepEqual(others, [], stdout);
    assert.match(only, /^index\.ts\(.*TS2322: Type 'string' is not assignable to type 'Input<boolean>'/);
    writeFileSync(file, program);
  }

  async function installedCopy(folder: string): Promise<string> {
    const copy = temporaryFolder("example");
    const isOurs = (path: string) => !path.includes("node_modules");
    cpSync(join(root, folder), copy, { recursive: true, filter: isOurs });
    const manifest = json<Manifest>(`${folder}/package.json`);
    const fromTarball = (needed: Readonly<Record<string, string>> = {}) =>
      Object.fromEntries(
        Object.entries(needed).map(([name, range]) => [
          name,
          tarballs[name] ? `file:${tarballs[name]}` : range,
        ]),
      );
    // The packages need each other by version, and no registry has them.
    const overrides = fromTarball(tarballs);
    const { dependencies, devDependencies } = manifest;
    const needs = { dependencies: fromTarball(dependencies), devDependencies: fromTarball(devDependencies) };
    installation.writeFiles(copy, { "package.json": JSON.stringify({ ...manifest, ...needs, overrides }) });
    const modules = join(copy, "node_modules");
    const names = Object.values(needs)
      .map((some) => Object.keys(some).sort())
      .join();
    const [first] = installed.values();
    const same = installed.get(names);
    if (same) symlinkSync(same, modules);
    else {
      if (first) installation.linkFiles(first, modules);
      await installation.npmInstall(copy);
      installed.set(names, modules);
    }
    return copy;
  }

  /** Runs the lines in a shell, as a reader types them, with a backend of their own. */
  async function play(copy: string, lines: readonly string[]): Promise<void> {
    const place = await newPlace();
    installation.folders.push(place.folder);
    const env = { ...place.env, PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token };
    for (const line of lines)
      await promisify(execFile)("sh", ["-c", line], { cwd: copy, env }).catch(({ code, stdout, stderr }) =>
        assert.fail(`${line}: exit ${code}\n${stdout}${stderr}`),
      );
  }
});

/** The lines in the code blocks of a page that a reader types. */
function typedLines(page: string): string[] {
  return codeBlocks(page).flatMap((text) => {
    const lines = text.split("\n");
    const prompted = lines.filter((line) => line.startsWith("$ "));
    return (prompted.length > 0 ? prompted : lines).map((line) =>
      line
        .replace("$ ", "")
        .replace("<32 hexadecimal characters>", zoneId)
        .replace(/^pulumi up\b/, "pulumi up --yes"),
    );
  });
}

function json<Content>(path: string): Content {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}
