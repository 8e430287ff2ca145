import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { root } from "../setup/workspace.mjs";

const subject = join(dirname(fileURLToPath(import.meta.url)), "subjects/fleet-command");
const main = join(root, "command/dist/main.js");

/** `page-guard fleet apply` and `drift` for so many zones, so many at a time, under the documented limit. */
export async function measureFleetCommand({ engine, sim, zones, parallel }) {
  const scratch = mkdtempSync(join(tmpdir(), "page-guard-bench-"));
  const backend = join(scratch, "backend");
  mkdirSync(backend);
  const env = {
    ...process.env,
    PULUMI_HOME: join(scratch, "home"),
    PULUMI_BACKEND_URL: pathToFileURL(backend).href,
    PULUMI_CONFIG_PASSPHRASE: "bench",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PATH: `${engine}${delimiter}${process.env.PATH ?? ""}`,
    PAGE_GUARD_BASE_URL: sim.url,
    PAGE_GUARD_API_TOKEN: sim.token,
    CI: "true",
  };
  const project = `name: page-guard-bench-fleet-command\nmain: ${subject}\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n`;
  writeFileSync(join(scratch, "Pulumi.yaml"), project);
  const ids = Array.from({ length: zones }, (_, index) => (index + 1).toString(16).padStart(32, "0"));
  const list = ids.map((id, index) => `- { id: "${id}", name: s${index} }\n`).join("");
  writeFileSync(join(scratch, "zones.yaml"), list);
  try {
    for (const index of ids.keys()) {
      const init = ["stack", "init", `s${index}`, "--no-select", "--non-interactive"];
      execFileSync("pulumi", init, { cwd: scratch, env, stdio: "ignore" });
    }
    const steps = {};
    for (const step of ["apply", "preview", "drift"]) {
      const from = sim.journal.length;
      const args = ["fleet", step, "--zones", "zones.yaml", "--parallel", String(parallel)];
      const { code, output, ...measured } = await run(args, { cwd: scratch, env });
      if (code !== 0) throw new Error(`fleet ${step} failed (exit ${code}):\n${output.slice(-2000)}`);
      const requests = sim.journal.slice(from);
      const refused = requests.filter(({ status }) => status === 429).length;
      steps[step] = { ...measured, requests: requests.length, refused };
    }
    return steps;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const shell = `node "$@" & child=$!; wait $child; code=$?; times >&3; cat /proc/$$/io >&3 2>/dev/null; exit $code`;

function run(args, options) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn("sh", ["-c", shell, "sh", main, ...args], {
      ...options,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    let output = "";
    let times = "";
    let peakBytes = 0;
    for (const stream of child.stdio.slice(1)) {
      stream.setEncoding("utf8").on("data", (text) => {
        if (stream === child.stdio[3]) times += text;
        else output += text;
      });
    }
    const timer = setInterval(() => {
      peakBytes = Math.max(peakBytes, residentBelow(child.pid));
    }, 250);
    child.on("error", reject).on("close", (code) => {
      clearInterval(timer);
      const spent = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(
        ([, m, s]) => (Number(m) * 60 + Number(s)) * 1000,
      );
      const cpuMs = spent.reduce((sum, ms) => sum + ms, 0);
      const writtenBytes = Number(/^write_bytes: (\d+)$/m.exec(times)?.[1] ?? 0);
      resolve({ code, output, wallMs: performance.now() - started, cpuMs, writtenBytes, peakBytes });
    });
  });
}

/** Memory of a process and all below it, shared pages counted for each. */
function residentBelow(pid) {
  try {
    const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean),
    );
    return children.reduce((sum, child) => sum + residentBelow(child), kilobytes * 1024);
  } catch {
    return 0;
  }
}
