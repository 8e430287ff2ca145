#!/bin/sh
# heartbeat.sh DAYS NAME: adds to heartbeat.txt where no scheduled run of that workflow (of GitHub), or pipeline of that name (of
# GitLab), has ended well for so long: schedules are dropped and switched off silently. On GitHub they run on the default branch
# alone. Needs a token that may read runs.
set -eu
touch heartbeat.txt
since=$(date -u -d "$1 days ago" +%FT%TZ)
if [ -n "${GITHUB_TOKEN:-}" ]; then
  header="Authorization: Bearer $GITHUB_TOKEN"
  url="$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/actions/workflows/$2/runs?event=schedule&status=success&created=%3E$since"
else
  header="PRIVATE-TOKEN: $GITLAB_TOKEN"
  url="$CI_API_V4_URL/projects/$CI_PROJECT_ID/pipelines?ref=$CI_DEFAULT_BRANCH&source=schedule&name=$2&status=success&updated_after=$since"
fi
printf '%s' "$header" | curl --fail --silent --show-error --header @- "$url" > heartbeat.json
if ! grep -q '"id"' heartbeat.json; then echo "$2 has not ended well since $since: look at its runs." >> heartbeat.txt; fi
