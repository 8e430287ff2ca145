import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../setup/workspace.mjs";
import { findOrMakeYamlHost } from "../setup/yaml-host.mjs";
import { openBackend } from "./bench-stack.mjs";
import { median, ratio, seconds, table } from "./table.mjs";

const require = createRequire(import.meta.url);
const subjects = join(dirname(fileURLToPath(import.meta.url)), "subjects");
const bare = join(subjects, "bare-plugin");
const ours = join(root, "provider/plugin");
const latencyMs = 20;
const setOf = 300;
const extraEnv = { PAGE_GUARD_MAX_REQUESTS_PER_5M: "1000000" };

/** What programs in other languages wait for: the plugin's port, a preview of one policy, a set beside TypeScript. */
export async function startBench({ engine, startSimulator, isQuick, progress }) {
  const sim = await startSimulator({ latencyMs });
  const backend = openBackend([await findOrMakeYamlHost(engine), engine].join(delimiter));
  const programs = mkdtempSync(join(tmpdir(), "page-guard-bench-programs-"));
  const rounds = isQuick ? 3 : 7;
  try {
    const port = await inTurn(rounds, {
      node: () => firstLine(["-e", "console.log(1)"]),
      bare: () => firstLine([join(bare, "pulumi-resource-bare")]),
      plugin: () => firstLine([join(ours, "pulumi-resource-page-guard")]),
    });
    progress(`start: ${rounds} ports`);
    const one = await previewOfOne();
    const set = await set300();
    const results = { port, one, set };
    return { title: "What a start costs", results, text: report(results) };
  } finally {
    rmSync(programs, { recursive: true, force: true });
    backend.close();
    await sim.stop();
  }

  async function previewOfOne() {
    const [{ args }] = require("./subjects/policies.js").policiesOf(1, zoneOf(1));
    const stacks = {
      bare: await yamlStack("bare", 1, { type: "bare:Nothing", properties: args }, bare),
      plugin: await yamlStack("page-guard", 1, { type: "page-guard:CspPolicy", properties: args }, ours),
    };
    return inTurn(rounds, {
      bare: () => wallMs(stacks.bare, "create preview"),
      plugin: () => wallMs(stacks.plugin, "create preview"),
    });
  }

  async function set300() {
    const zoneId = zoneOf(2);
    const policies = Object.fromEntries(
      require("./subjects/policies.js")
        .policiesOf(setOf, zoneId)
        .map(({ name, args: { zoneId: _, ...policy } }) => [name, policy]),
    );
    const resource = { type: "page-guard:CspPolicySet", properties: { zoneId, policies } };
    const stacks = {
      yaml: await yamlStack("page-guard", 2, resource, ours),
      typescript: await openStack("set-typescript", 3, {}),
    };
    const times = {};
    const operations = {
      "create preview": rounds,
      up: 1,
      "no-change preview": rounds,
      refresh: 1,
      destroy: 1,
    };
    for (const [operation, count] of Object.entries(operations)) {
      times[operation] = await inTurn(isQuick ? 1 : Math.min(3, count), {
        typescript: () => wallMs(stacks.typescript, operation),
        yaml: () => wallMs(stacks.yaml, operation),
      });
      progress(`start: set of ${setOf}, ${operation}`);
    }
    return times;
  }

  function openStack(subject, zone, more) {
    const zoneId = zoneOf(zone);
    sim.zones.seed(zoneId, { policyQuota: 10_000, scripts: 0, connections: 0, cookies: 0 });
    return backend.openStack(subject, { n: setOf, zoneId, sim, name: `z${zone}`, extraEnv, ...more });
  }

  function yamlStack(plugin, zone, resource, folder) {
    const project = join(programs, `${plugin}-${zone}`);
    mkdirSync(project);
    // YAML can be written as JSON.
    const program = {
      name: `page-guard-bench-${plugin}`,
      runtime: "yaml",
      packages: { [plugin]: folder },
      resources: { one: resource },
    };
    writeFileSync(join(project, "Pulumi.yaml"), JSON.stringify(program));
    return openStack(plugin, zone, { project });
  }
}

/** The median of each subject, all of them in turn. */
async function inTurn(rounds, subjects) {
  const times = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, measure] of Object.entries(subjects)) times[name].push(await measure());
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

/** Milliseconds until a process of Node has written its first line. */
async function firstLine(args) {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const took = performance.now() - started;
  child.kill("SIGKILL");
  return took;
}

async function wallMs(stack, operation) {
  const { code, output, wallMs: took } = await stack.run(operation);
  if (code !== 0) throw new Error(`${operation} failed (exit ${code}):\n${output.slice(-2000)}`);
  return took;
}

const zoneOf = (number) => String(number).padStart(32, "0");

function report({ port, one, set }) {
  const ms = (value) => Math.round(value);
  const starts = table(
    ["ms to the first line", "Node alone", "bare server", "plugin", "plugin/bare", "target"],
    [[process.version, ms(port.node), ms(port.bare), ms(port.plugin), ratio(port.plugin, port.bare), "2 x"]],
  );
  const previews = table(
    ["a preview from YAML", "bare s", "plugin s", "plugin/bare", "target"],
    [["one policy", seconds(one.bare), seconds(one.plugin), ratio(one.plugin, one.bare), "1.2 x"]],
  );
  const rows = Object.entries(set).map(([operation, { typescript, yaml }]) => [
    operation,
    seconds(typescript),
    seconds(yaml),
    ratio(yaml, typescript),
    operation.endsWith("preview") ? "0.7 x" : "",
  ]);
  const sets = table(
    [`a set of ${setOf}, ${latencyMs} ms`, "TypeScript s", "YAML s", "YAML/TypeScript", "target"],
    rows,
  );
  return [starts, previews, sets].join("\n\n");
}
