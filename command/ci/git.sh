# Read by other scripts: git reaches the forge with the job's token, which is in no argument and no file.
login=$(printf '%s' "${GITLAB_TOKEN:+oauth2:$GITLAB_TOKEN}${GITHUB_TOKEN:+x-access-token:$GITHUB_TOKEN}" | base64 | tr -d '\n')
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=http.extraHeader GIT_CONFIG_VALUE_0="Authorization: Basic $login"
# The folder of the program in its repository: infra/shop/, or nothing.
place=$(git rev-parse --show-prefix)
# require_plain COMMIT [FOLDER]: fails unless it holds nothing but files and folders. Unpacking a link would let others write elsewhere.
require_plain() {
  git ls-tree -r --full-tree "$1" ${2:+-- "$2"} > tree.txt
  if grep -qvE '^100(644|755) ' tree.txt; then
    echo "${3:-The branch page-guard-runs} may hold files only${2:+ in its folder $2}. Somebody has put a link there: look at its last commits." >&2 && exit 1
  fi
}
# open_request: makes the folder request: the branch of the open request with main merged in, or main if none is open.
open_request() {
  rm -rf request
  git worktree prune
  main=$(git rev-parse HEAD)
  git worktree add --quiet --force --detach request
  if ! git rev-parse --quiet --verify origin/page-guard/inventory > request.txt; then return 0; fi
  require_plain "$(cat request.txt)" "${place}inventory" "The branch page-guard/inventory"
  git -C request checkout --quiet --detach "$(cat request.txt)"
  git -C request merge --quiet --no-edit "$main" || {
    echo "main cannot be merged into page-guard/inventory. Merge it there by hand, or delete that branch." >&2 && exit 1
  }
}
git() { command git -c user.name=page-guard -c user.email=page-guard@users.noreply.github.com "$@"; }
# fetch_runs: makes origin/page-guard-runs the newest commit of that branch, if there is one.
fetch_runs() {
  git fetch --quiet origin "+refs/heads/page-guard-runs*:refs/remotes/origin/page-guard-runs*"
  if git rev-parse --quiet --verify origin/page-guard-runs > tip.txt; then require_plain "$(cat tip.txt)"; fi
}
# unpack_runs: puts what is on that branch into the folder kept.
unpack_runs() {
  mkdir -p kept/runs kept/reports
  if git rev-parse --quiet --verify origin/page-guard-runs > tip.txt; then
    require_plain "$(cat tip.txt)"
    git -C "./$(git rev-parse --show-cdup)" archive "$(cat tip.txt)" | tar -x -C kept
  fi
}
