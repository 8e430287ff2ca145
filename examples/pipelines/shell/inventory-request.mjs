// node inventory-request.mjs begin|end: the one request (of GitHub or GitLab) for what is new in the folder inventory. People
// may work on its branch: each night adds a commit to theirs. No file of that branch is run.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";

const branch = "page-guard/inventory";
const title = "Inventory of scripts: what is new";
const files = "inventory";
/** A work tree of the branch, beside what is run. */
const tree = ".inventory-request";
const { env } = process;
const isGithub = env.GITHUB_ACTIONS === "true";

const github = {
  base: `${env.GITHUB_API_URL ?? "https://api.github.com"}/repos/${env.GITHUB_REPOSITORY}`,
  headers: { authorization: `Bearer ${env.GITHUB_TOKEN}`, accept: "application/vnd.github+json" },
  login: `x-access-token:${env.GITHUB_TOKEN}`,
  list: `/pulls?state=open&head=${env.GITHUB_REPOSITORY?.split("/")[0]}:${branch}`,
  isOurs: ({ head }) => head.ref === branch && head.repo?.full_name === env.GITHUB_REPOSITORY,
  open: (main, body) => ["POST", "/pulls", { title, body, head: branch, base: main }],
  edit: ({ number }, body) => ["PATCH", `/pulls/${number}`, { body }],
};
const gitlab = {
  base: `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}`,
  headers: { "private-token": env.GITLAB_TOKEN },
  login: `oauth2:${env.GITLAB_TOKEN}`,
  list: `/merge_requests?state=opened&source_branch=${encodeURIComponent(branch)}`,
  isOurs: ({ source_project_id }) => String(source_project_id) === env.CI_PROJECT_ID,
  open: (main, description) => [
    "POST",
    "/merge_requests",
    { title, description, source_branch: branch, target_branch: main },
  ],
  edit: ({ iid }, description) => ["PUT", `/merge_requests/${iid}`, { description }],
};
const forge = isGithub ? github : gitlab;

async function ask(method, path, body) {
  const response = await fetch(forge.base + path, {
    method,
    headers: { ...forge.headers, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.ok) return response.json();
  fail(
    `${method} ${path.replace(/\?.*/, "")} was answered with ${response.status}. Check the permissions of the token.`,
  );
}

function fail(text) {
  console.error(text);
  process.exit(1);
}

/** The token is in no argument, and in no file. */
const who = { NAME: "page-guard", EMAIL: "page-guard@users.noreply.github.com" };
const identity = Object.entries(who).flatMap(([key, value]) =>
  ["AUTHOR", "COMMITTER"].map((role) => [`GIT_${role}_${key}`, value]),
);
const gitEnv = {
  ...env,
  ...Object.fromEntries(identity),
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "http.extraHeader",
  GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(forge.login).toString("base64")}`,
};
const git = (...args) =>
  execFileSync("git", args, { env: gitEnv, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
const inTree = (...args) => git("-C", tree, ...args);
const isSame = (...args) => {
  try {
    inTree("diff", "--quiet", ...args);
    return true;
  } catch {
    return false;
  }
};

const openRequest = async () => (await ask("GET", forge.list)).find(forge.isOurs);

async function begin() {
  rmSync(tree, { recursive: true, force: true });
  git("worktree", "prune");
  const request = await openRequest();
  if (request) git("fetch", "--quiet", "origin", `refs/heads/${branch}`);
  git("worktree", "add", "--quiet", "--detach", tree, request ? "FETCH_HEAD" : "HEAD");
  if (request) {
    try {
      inTree("merge", "--quiet", "--no-edit", git("rev-parse", "HEAD"));
    } catch {
      rmSync(tree, { recursive: true, force: true });
      fail(`main cannot be merged into ${branch}. Merge it there by hand, then start this again.`);
    }
  }
  rmSync(files, { recursive: true, force: true });
  if (hasOnlyFiles()) cpSync(`${tree}/${files}`, files, { recursive: true });
}

/** Whether the branch has inventories. A link could lead anywhere. */
function hasOnlyFiles() {
  if (!existsSync(`${tree}/${files}`)) return false;
  const entries = lstatSync(`${tree}/${files}`).isDirectory()
    ? readdirSync(`${tree}/${files}`, { withFileTypes: true })
    : [];
  if (entries.length > 0 && entries.every((entry) => entry.isFile())) return true;
  rmSync(tree, { recursive: true, force: true });
  fail(`The folder ${files} of the branch may hold files only.`);
}

async function end() {
  if (!existsSync(`${tree}/.git`))
    fail("inventory-begin.sh has not ended well, so there is nothing to add to.");

  const request = await openRequest();
  if (existsSync(files)) cpSync(files, `${tree}/${files}`, { recursive: true });
  if (existsSync(files)) inTree("add", files);
  if (isSame("--cached")) return console.log("Nothing new.");
  inTree("commit", "--quiet", "--message", "Add what is new to the inventory of scripts");
  // What an old request has left of the branch is no longer needed.
  inTree("push", "--quiet", ...(request ? [] : ["--force"]), "origin", `HEAD:refs/heads/${branch}`);
  const { default_branch: main } = await ask("GET", "");
  const body = readFileSync("inventory.md", "utf8").slice(0, 60_000);
  const { html_url: onGithub, web_url: onGitlab } = await ask(
    ...(request ? forge.edit(request, body) : forge.open(main, body)),
  );
  console.log(`${request ? "Edited" : "Opened"} ${onGithub ?? onGitlab}`);
}

await { begin, end }[process.argv[2]]();
// The news of the other zones is not lost.
if (process.argv[2] === "end" && existsSync("inventory.failed"))
  fail("Not all zones could be read: see above.");
