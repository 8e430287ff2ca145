import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../../simulator/src";
import { pagesWithFiles } from "../../../tools/docs/shown-files";
import { type Ended, type Place, runPulumi } from "../../engine/real-engine/engine";
import { killAll, processesOf } from "../../engine/real-engine/processes";
import { filesBelow, root, textOf } from "../structure/source-files";
import { consoleOf, emptyFolder, exampleProject, missing, playPage, stepsOf } from "./support/page-run";

const zoneId = "8f14e45fceea167a5a36dedd4bea2543";

describe("The commands of the guides work", () => {
  let sim: Simulator;
  let place: Place | undefined;

  beforeEach(async () => {
    sim = await startSimulator();
  });

  afterEach(async () => {
    await sim.stop();
    if (place === undefined) return;
    killAll(processesOf(place.pulumiHome));
    rmSync(place.folder, { recursive: true, force: true });
    place = undefined;
  });

  it("to switch a policy off in code or by hand, and to bring the code up to date", async () => {
    sim.zones.seed(zoneId, { plan: "enterprise", scripts: 0 });
    const shop = await exampleProject(sim, "quickstart", "dev");
    place = shop;
    const action = () => sim.zones.get(zoneId).policies.map((policy) => policy.action);
    const up = () => succeeded(shop, "up", "--yes", "--skip-preview");
    const block = async () => {
      const config = ["--plaintext", `zoneId=${zoneId}`, "--plaintext", "action=allow"];
      await succeeded(shop, "config", "set-all", ...config);
      await up();
      assert.deepEqual(action(), ["allow"]);
    };
    await block();
    await playPage("docs/guides/shop-is-broken.md", {
      cwd: shop.project,
      env: { ...shop.env, ZONE: zoneId },
      acts: {
        "block-again": async () => {
          assert.deepEqual(action(), ["log"], "off by code");
          await block();
        },
        "unrelated-update": async () => {
          assert.deepEqual(action(), ["log"], "off by hand");
          await up();
          assert.deepEqual(action(), ["log"], "an update that does not change it leaves it off");
        },
      },
    });
    assert.deepEqual(action(), ["log"]);
  });

  it("to adopt a zone, also from Terraform, with no changing request and an empty preview", async () => {
    sim.zones.seed(zoneId, JSON.parse(textOf("examples/adopt/zone.json")));
    place = await emptyFolder(sim);
    await playPage("docs/guides/adopt.md", { cwd: place.project, env: place.env });
    await playPage("docs/guides/from-terraform.md", { cwd: join(place.project, "infra"), env: place.env });
    assert.deepEqual(sim.changing(), []);
  });

  it("to move single policies into a set, without a changing request", async () => {
    sim.zones.seed(zoneId, { plan: "enterprise", scripts: 0, policies: [] });
    const shop = await exampleProject(sim, "quickstart", "dev");
    place = shop;
    const declare = (program: string) => writeFileSync(join(shop.project, "index.ts"), textOf(program));
    declare("test/workspace/site/programs/single-policies.ts");
    await succeeded(shop, "up", "--yes", "--skip-preview");
    const before = sim.changing().length;
    assert.equal(before, 2);
    await playPage("docs/guides/policy-sets.md", {
      cwd: shop.project,
      env: shop.env,
      acts: { "declare-set": () => declare("test/workspace/site/programs/policy-set.ts") },
    });
    assert.equal(sim.changing().length, before);
  });

  it("to find out which zones may migrate", async () => {
    const others = ["c9f0f895fb98ab9159f51fd0297e236d", "45c48cce2e2d7fbdea1afc51c7c6ad26"] as const;
    await playPage("docs/guides/migrate-many.md", {
      cwd: join(root, "test/workspace/site/programs"),
      env: { ...process.env, ...consoleOf(sim) },
      acts: {
        seed: () => {
          sim.zones.seed(zoneId, { plan: "enterprise", waf: { stage: "old" } });
          sim.zones.seed(others[0], { plan: "pro", waf: { stage: "new" } });
          sim.zones.seed(others[1], { plan: "pro", waf: { stage: "old", eligible: false } });
        },
      },
    });
    assert.deepEqual(sim.changing(), []);
  });
});

describe("The programs and consoles of the guides", () => {
  const played = readFileSync(__filename, "utf8");
  for (const page of filesBelow("docs/guides").filter((path) => stepsOf(textOf(path)).length > 0))
    it(`of ${page} are played in this file`, () => assert.ok(played.includes(`playPage("${page}"`)));

  it("are current copies of files, which npm run resources writes into the pages", () => {
    for (const [page, text] of Object.entries(pagesWithFiles())) {
      assert.equal(textOf(page), text, page);
      assert.doesNotMatch(text, /(?<!^<!-- file: \S+ -->\n)^```(?:ts|js|typescript|yaml)$/m, page);
    }
  });
});

describe("The output of a run on a page", () => {
  it("is found if its lines come in order, with an ellipsis for parts that vary", () => {
    const output = "first line 12\n    + 4 created\nlast\n";
    assert.equal(missing(["first line …", "+ 4 created"], output), undefined);
    assert.equal(missing(["…", "last"], output), undefined);
    assert.equal(missing(["+ 4 created", "first line …"], output), "first line …");
    assert.equal(missing(["+ 5 created"], output), "+ 5 created");
  });

  it("is read only from console blocks, with the acts between them", () => {
    const page =
      "```sh\n$ not this\n```\n<!-- act: edit -->\n```console\n$ one\na\n\n$ two \\\n  more\n```\n";
    assert.deepEqual(stepsOf(page), [
      { act: "edit", line: 4 },
      { command: "one", shown: ["a"], line: 6 },
      { command: "two \\\n  more", shown: [], line: 9 },
    ]);
  });
});

async function succeeded(place: Place, ...args: readonly string[]): Promise<Ended> {
  const ended = await runPulumi(place, [...args, "--non-interactive"]).ended;
  assert.equal(ended.code, 0, `pulumi ${args.join(" ")} failed:\n${ended.output}`);
  return ended;
}
