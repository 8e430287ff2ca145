import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../setup/workspace.mjs";
import { findOrMakeYamlHost } from "../setup/yaml-host.mjs";
import { openBackend, runInTurn } from "./bench-stack.mjs";
import { checkpointBytes } from "./checkpoint-bytes.mjs";
import { megabytes, ratio, seconds, table } from "./table.mjs";

const require = createRequire(import.meta.url);
const subjectsFolder = join(dirname(fileURLToPath(import.meta.url)), "subjects");
const idleFolder = join(subjectsFolder, "idle-plugin");

/**
 * Dynamic resources that do nothing and ours, by a program for Node; resources of a plugin that does nothing and of ours, by
 * a program in YAML.
 */
const plugins = {
  idle: { type: "idle:Nothing", packages: { idle: idleFolder } },
  plugin: { type: "page-guard:CspPolicy", packages: { "page-guard": join(root, "provider/plugin") } },
};
const subjects = ["floor", "ours", "idle", "plugin"];

/** N policies in one zone, by dynamic resources and by the plugin, from nothing to nothing. */
export async function pluginBench({ engine, startSimulator, counts, isQuick, progress }) {
  const n = Math.max(...counts);
  const sim = await startSimulator();
  const backend = openBackend([await findOrMakeYamlHost(engine), engine].join(delimiter));
  const programs = mkdtempSync(join(tmpdir(), "page-guard-bench-programs-"));
  try {
    const stacks = {};
    for (const [index, subject] of subjects.entries()) {
      const zoneId = String(index + 1).padStart(32, "0");
      sim.zones.seed(zoneId, { policyQuota: 10_000, scripts: 0, connections: 0, cookies: 0 });
      const project = subject in plugins ? yamlProject(programs, subject, n, zoneId) : undefined;
      stacks[subject] = await backend.openStack(subject, { n, zoneId, sim, name: `p${n}`, project });
    }
    const checkpoint = {};
    const operations = await runInTurn(stacks, {
      rounds: isQuick ? 1 : 3,
      middleOf: ({ cpuMs }) => cpuMs,
      progress: (text) => progress(`plugin N = ${n}, ${text}`),
      afterUp(subject) {
        checkpoint[subject] = checkpointBytes(stacks[subject].checkpoint());
      },
    });
    return {
      title: `${n} policies by dynamic resources and by the plugin`,
      results: { n, operations, checkpoint },
      text: report(n, operations, checkpoint),
    };
  } finally {
    rmSync(programs, { recursive: true, force: true });
    backend.close();
    await sim.stop();
  }
}

/** The policies that the other subjects declare, as a program in YAML. */
function yamlProject(folder, subject, n, zoneId) {
  const project = join(folder, subject);
  mkdirSync(project);
  const { type, packages } = plugins[subject];
  const { policiesOf } = require("./subjects/policies.js");
  const resources = Object.fromEntries(
    policiesOf(n, zoneId).map(({ name, args }) => [name, { type, properties: args }]),
  );
  // YAML can be written as JSON.
  const program = { name: `page-guard-bench-${subject}`, runtime: "yaml", packages, resources };
  writeFileSync(join(project, "Pulumi.yaml"), JSON.stringify(program));
  return project;
}

function report(n, operations, checkpoint) {
  const rows = Object.entries(operations).map(([operation, by]) => [
    operation,
    ...subjects.map((subject) => seconds(by[subject].cpuMs)),
    ratio(by.ours.cpuMs, by.floor.cpuMs),
    ratio(by.plugin.cpuMs, by.idle.cpuMs),
    ratio(by.plugin.cpuMs, by.ours.cpuMs),
    ...subjects.map((subject) => megabytes(by[subject].peakBytes)),
  ]);
  const head = [
    `N = ${n}`,
    ...subjects.map((subject) => `${subject} CPU s`),
    ...["ours/floor", "plugin/idle", "plugin/ours"],
    ...subjects.map((subject) => `${subject} MB`),
  ];
  const sizes = subjects.map((subject) => {
    const { file, entry, beyond } = checkpoint[subject];
    return [subject, file, entry, beyond];
  });
  return `${table(head, rows)}\n\n${table(["state, bytes", "file", "a policy's entry", "beyond own values"], sizes)}`;
}
