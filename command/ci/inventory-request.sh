#!/bin/sh
# Keeps one request open that contains inventory.patch: the new entries of the folder inventory. Commits them to the branch of the
# request, and opens a request if none is open. Runs nothing from that branch. Needs only a token that may push the branch and
# open requests. On GitLab, the push opens the request.
set -eu
. "$(dirname "$0")/git.sh"
open_request
if [ -s inventory.patch ]; then git -C request apply --index --3way --include="${place}inventory/*" ../inventory.patch; fi
title="Inventory of scripts: new entries"
if git -C request diff --cached --quiet; then
  echo "Nothing new."
else
  git -C request commit --quiet --message "Scripts that are new in the zones"
  require_plain "$(git -C request rev-parse HEAD)" "${place}inventory" "The commit with the new entries"
  set -- --quiet origin HEAD:refs/heads/page-guard/inventory
  if [ -n "${GITLAB_TOKEN:-}" ]; then
    set -- --push-option=merge_request.create --push-option=merge_request.remove_source_branch \
      --push-option="merge_request.target=$CI_DEFAULT_BRANCH" --push-option="merge_request.title=$title" "$@"
  fi
  git -C request push "$@"
fi
# An earlier night may have pushed the branch without opening a request. A request from a fork does not count, although its branch
# can have the same name.
if [ -n "${GITHUB_TOKEN:-}" ] && ! git -C request diff --quiet "$main" &&
  [ "$(gh pr list --head page-guard/inventory --json isCrossRepository --jq 'map(select(.isCrossRepository | not)) | length')" = 0 ]; then
  gh pr create --head page-guard/inventory --title "$title" --body "Say why the pages need each new script, and approve it by merging."
fi
