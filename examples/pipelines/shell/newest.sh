#!/bin/sh
# Refuses to run an old commit again: that would take back what was applied since. The first attempts of GitHub are in order
# already, for they wait for each other.
set -eu
if [ "${GITHUB_RUN_ATTEMPT:-}" = 1 ]; then exit 0; fi

branch=${GITHUB_REF_NAME:-${CI_COMMIT_REF_NAME:-}}
commit=${GITHUB_SHA:-${CI_COMMIT_SHA:-}}
if [ -n "${GITHUB_TOKEN:-}" ]; then
  login=$(printf 'x-access-token:%s' "$GITHUB_TOKEN" | base64 | tr -d '\n')
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=http.extraHeader GIT_CONFIG_VALUE_0="Authorization: Basic $login"
fi
newest=$(git ls-remote "${CI_REPOSITORY_URL:-$GITHUB_SERVER_URL/$GITHUB_REPOSITORY}" "refs/heads/$branch" | cut -f 1)
if [ "$newest" != "$commit" ]; then
  echo "This run is of commit $commit, and $branch is at ${newest:-no commit that could be read}. Nothing was done. Start the newest run instead."
  exit 1
fi
