// node last-run.mjs WORKFLOW HOURS: when a workflow of GitHub ended well on the default branch for the last time. Exit 2 when
// that is longer ago.
const [workflow, hours] = process.argv.slice(2);
const { GITHUB_API_URL = "https://api.github.com", GITHUB_REPOSITORY, GITHUB_TOKEN } = process.env;

async function ask(path) {
  const response = await fetch(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}${path}`, {
    headers: { authorization: `Bearer ${GITHUB_TOKEN}`, accept: "application/vnd.github+json" },
  });
  if (!response.ok) {
    console.error(`GitHub answered ${response.status} when it was asked for the runs of ${workflow}.`);
    process.exit(1);
  }
  return response.json();
}

const { default_branch: branch } = await ask("");
const query = new URLSearchParams({ branch, status: "success", per_page: "100" });
const { workflow_runs: runs } = await ask(`/actions/workflows/${workflow}/runs?${query}`);
// A fork's branch may have the same name, and its pull request a workflow of its own that looks at nothing.
const last = runs.find(({ event }) => event === "schedule" || event === "workflow_dispatch");
const ended = last === undefined ? undefined : new Date(last.updated_at);
console.log(
  ended === undefined
    ? `${workflow} has never ended well on ${branch}.`
    : `${workflow} has ended well for the last time at ${ended.toISOString()}.`,
);
const isRecent = ended !== undefined && Date.now() - ended.getTime() < Number(hours) * 3_600_000;
if (!isRecent) {
  console.log(`That is more than ${hours} hours ago. Look at its runs, and switch its schedule on again.`);
  process.exitCode = 2;
}
