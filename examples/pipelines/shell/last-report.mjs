// node last-report.mjs: writes last.json, the newest report among the artefacts of report.yml (GitHub) or of the job report
// (GitLab) on the default branch. Writes nothing where there is none, as in the first week.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";

const { env } = process;
const isGithub = env.GITHUB_ACTIONS === "true";
const base = isGithub
  ? `${env.GITHUB_API_URL ?? "https://api.github.com"}/repos/${env.GITHUB_REPOSITORY}`
  : `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}`;
const headers = isGithub
  ? { authorization: `Bearer ${env.GITHUB_TOKEN}`, accept: "application/vnd.github+json" }
  : { "private-token": env.GITLAB_TOKEN };

async function ask(path) {
  const response = await fetch(base + path, { headers });
  if (response.ok) return response;
  console.error(`GET ${path.replace(/\?.*/, "")} was answered with ${response.status}. Check the token.`);
  process.exit(1);
}
const list = async (path) => (await ask(path)).json();
const bytes = async (path) => Buffer.from(await (await ask(path)).arrayBuffer());

async function ofGithub(branch) {
  const query = new URLSearchParams({ branch, status: "success", per_page: "100" });
  const { workflow_runs: runs } = await list(`/actions/workflows/report.yml/runs?${query}`);
  // A fork's branch may have the same name, and its pull request a workflow of its own.
  const last = runs.find(({ event }) => event === "schedule" || event === "workflow_dispatch");
  if (last === undefined) return undefined;
  const { artifacts } = await list(`/actions/runs/${last.id}/artifacts`);
  const report = artifacts.find(({ name, expired }) => name === "report" && !expired);
  if (report === undefined) return undefined;
  writeFileSync("last.zip", await bytes(`/actions/artifacts/${report.id}/zip`));
  return execFileSync("unzip", ["-p", "last.zip", "report.json"], { maxBuffer: 2 ** 28 });
}

/** Among the last 2,000 jobs. */
async function ofGitlab(branch) {
  for (let page = 1; page <= 20; page += 1) {
    const jobs = await list(`/jobs?scope[]=success&per_page=100&page=${page}`);
    const last = jobs.find(({ name, ref, tag }) => name === "report" && ref === branch && !tag);
    const isKept = last?.artifacts?.some(({ file_type }) => file_type === "archive") === true;
    if (isKept) return bytes(`/jobs/${last.id}/artifacts/report/report.json`);
    if (last || jobs.length < 100) break;
  }
  return undefined;
}

rmSync("last.json", { force: true });
const { default_branch: branch } = await list("");
const report = await (isGithub ? ofGithub(branch) : ofGitlab(branch));
if (report) writeFileSync("last.json", report);
console.log(report ? "Compared with the last report." : "There is no earlier report to compare with.");
