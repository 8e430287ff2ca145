import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../setup/workspace.mjs";
import { cpuOfChildren, readSpent } from "./summary.mjs";

/** How long mocha may stay after its report: what still runs then was left open by a test. */
const graceMs = 20_000;

/** One process runs so few files faster than several processes start. */
const fewFiles = 3;

/**
 * For mocha, which runs `count` files. Tests wait for other processes a good part of their time, so three more run than
 * there are processors.
 */
export function parallelism(count) {
  if (count <= fewFiles) return [];
  return ["--parallel", "--jobs", String(Math.min(count, availableParallelism() + 3))];
}

/**
 * Runs mocha over `files` in a process of its own, its output shown as it comes. Resolves with what its report counts,
 * or undefined when there is nothing to run. `problems` are sentences about what no report shows.
 */
export async function runMocha({ name, files, forMocha, env }) {
  if (files.length === 0) return undefined;
  process.stdout.write(`\n${name} (${files.length} files)\n`);
  const folder = mkdtempSync(join(tmpdir(), "page-guard-tests-"));
  try {
    const report = join(folder, "report.json");
    const notes = join(folder, "spent");
    mkdirSync(notes);
    const cpuBefore = cpuOfChildren();
    const began = Date.now();
    const reporter = join(root, "tools", "test", "counting-reporter.cjs");
    const mocha = join(root, "node_modules", "mocha", "bin", "mocha.js");
    const args = [
      mocha,
      "--reporter",
      reporter,
      "--reporter-option",
      `report=${report}`,
      ...forMocha,
      ...files,
    ];
    const { code, wasStuck } = await ended(
      spawn(process.execPath, args, {
        cwd: root,
        env: { ...env, PAGE_GUARD_TEST_SPENT: notes },
        stdio: ["ignore", 1, 2],
      }),
      report,
    );
    const counted = existsSync(report)
      ? JSON.parse(readFileSync(report, "utf8"))
      : { passed: 0, failed: 0, failures: [], skipped: [], took: [] };
    const cpuAfter = cpuOfChildren();
    return {
      ...counted,
      spent: readSpent(notes),
      wallMs: Date.now() - began,
      cpuMs: cpuAfter === undefined ? undefined : cpuAfter - cpuBefore,
      problems: problemsOf({ name, code, wasStuck, counted, hasReport: existsSync(report) }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function problemsOf({ name, code, wasStuck, counted, hasReport }) {
  if (!hasReport) return [`${name}: mocha ended (exit ${code}) without a report, see above.`];
  if (wasStuck)
    return [
      `${name}: a test left something open; mocha was still running ${graceMs / 1000} s after its last test.`,
    ];
  if (code !== 0 && counted.failed === 0)
    return [`${name}: mocha ended with exit ${code} although no test failed, see above.`];
  return [];
}

/** Waits for the end of `child`; ends it when it outlives its report. */
function ended(child, report) {
  return new Promise((resolve, reject) => {
    let reportedAt;
    let wasStuck = false;
    const watch = setInterval(() => {
      if (!existsSync(report)) return;
      reportedAt ??= Date.now();
      if (Date.now() - reportedAt < graceMs) return;
      wasStuck = true;
      child.kill("SIGKILL");
    }, 500);
    child.on("error", reject);
    child.on("close", (code) => {
      clearInterval(watch);
      resolve({ code: code ?? 1, wasStuck });
    });
  });
}
