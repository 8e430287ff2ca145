#!/bin/sh
# heartbeat.sh DAYS NAME: keeps one issue open while the workflow (GitHub) or pipeline (GitLab) NAME has had no successful
# scheduled run for DAYS days. Either no run started, because forges drop and disable schedules silently, or the runs failed.
# GitHub runs schedules on the default branch only. Needs a token that may read runs and write issues.
set -eu
if [ -n "${GITHUB_TOKEN:-}" ]; then
  header="Authorization: Bearer $GITHUB_TOKEN"
  url="${GITHUB_API_URL:-https://api.github.com}/repos/$GITHUB_REPOSITORY/actions/workflows/$2/runs?event=schedule&per_page=100"
else
  header="PRIVATE-TOKEN: $GITLAB_TOKEN"
  url="${CI_API_V4_URL:-https://gitlab.com/api/v4}/projects/$CI_PROJECT_ID/pipelines?ref=$CI_DEFAULT_BRANCH&source=schedule&name=$2&per_page=100"
fi
printf '%s' "$header" | curl --fail --silent --show-error --header @- "$url" > heartbeat.json
node - "$1" "$2" > heartbeat.md << 'END'
const [, , days, name] = process.argv;
const answer = JSON.parse(require("fs").readFileSync("heartbeat.json", "utf8"));
const stateOf = ({ conclusion, status }) => conclusion ?? status;
// The newest run is first. Leaves out runs that have not ended, because their result is not known yet.
const runs = (answer.workflow_runs ?? answer).filter((run) => /^(success|fail|cancel|timed|startup)/.test(stateOf(run)));
const [last] = runs;
const begin = Date.now() - days * 86400000;
const isRecent = (run) => run !== undefined && Date.parse(run.updated_at) >= begin;
const well = runs.findIndex((run) => stateOf(run) === "success");
const day = (run) => run.updated_at.slice(0, 10);
if (!isRecent(last)) {
  console.log(`## ${name} ${last ? `has not run since ${day(last)}` : "never ran"}\n`);
  console.log(`- No scheduled run has ended in the last ${days} days. Check whether the schedule is disabled, and start it by hand.`);
} else if (!isRecent(runs[well])) {
  const first = runs[(well < 0 ? runs.length : well) - 1];
  console.log(`## ${name} ran but did not succeed, first on ${day(first)}\n`);
  // This line is not a list item. It names another run each night, and a new list item would alert people each time.
  console.log(`The last run: ${last.html_url ?? last.web_url}\n`);
  console.log("- Either it found something, which has an issue of its own, or it could not check everything, and its log says why.");
}
END
sh "$(dirname "$0")/issue.sh" "heartbeat $2" heartbeat.md
