# Sourced by other scripts. Makes git log in to the repository with the job's token, and to no other address. The token appears in
# no argument and in no file.
login=${GITLAB_TOKEN:+oauth2:$GITLAB_TOKEN}${GITHUB_TOKEN:+x-access-token:$GITHUB_TOKEN}
if [ -n "$login" ]; then
  login=$(printf '%s' "$login" | base64 | tr -d '\n')
  origin=$(git remote get-url origin)
  origin=$(printf '%s' "$origin" | sed 's,//[^/]*@,//,')
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.$origin.extraHeader" GIT_CONFIG_VALUE_0="Authorization: Basic $login"
fi
# The program's folder in its repository, such as infra/shop/. Empty if that is the root.
place=$(git rev-parse --show-prefix)
# require_plain COMMIT [FOLDER [NAME]]: fails unless the commit, or FOLDER in it, contains only files and folders, and each parent
# of FOLDER is a folder. If a link were unpacked, a later write could follow it. The message calls the commit NAME.
require_plain() {
  git ls-tree -r --full-tree "$1" ${2:+-- "$2"} > tree.txt
  parent=${2:-}
  while [ "$parent" != "${parent%/*}" ]; do
    parent=${parent%/*}
    git ls-tree --full-tree "$1" -- "$parent" >> tree.txt
  done
  if grep -qvE '^(100644|100755|040000) ' tree.txt; then
    echo "${3:-The branch page-guard-runs} may contain only files${2:+ in its folder $2}. Somebody has put a link there. Check the last commits." >&2 && exit 1
  fi
}
# open_request: creates the folder request, a checkout of the open request's branch with main merged in, or of main if no request is
# open.
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
# Runs git without hooks, without the LFS filter, and without conversion of line ends, even if the machine has them: a branch can
# contain the hooks, and name an LFS server, and a report with other line ends cannot be verified.
git() {
  command git -c user.name=page-guard -c user.email=page-guard@users.noreply.github.com -c core.hooksPath=/dev/null \
    -c core.autocrlf=false -c core.eol=lf -c core.attributesFile=/dev/null -c filter.lfs.process= -c filter.lfs.required=false "$@"
}
# fetch_runs: fetches the newest commit of the branch page-guard-runs as origin/page-guard-runs, if the branch exists.
fetch_runs() {
  git fetch --quiet origin "+refs/heads/page-guard-runs*:refs/remotes/origin/page-guard-runs*"
  if git rev-parse --quiet --verify origin/page-guard-runs > tip.txt; then require_plain "$(cat tip.txt)"; fi
}
# unpack_runs: copies the files of the fetched branch into the folder kept, and writes the commit to kept/runs/unpacked.txt.
unpack_runs() {
  if git rev-parse --quiet --verify origin/page-guard-runs > tip.txt; then
    require_plain "$(cat tip.txt)"
    mkdir -p kept/runs kept/reports
    git -C "./$(git rev-parse --show-cdup)" archive "$(cat tip.txt)" | tar -x -C kept
    cp tip.txt kept/runs/unpacked.txt
  elif [ "$(git rev-parse --is-shallow-repository)" = true ] || git ls-remote --exit-code origin refs/heads/page-guard-runs > tip.txt 2>&1; then
    echo "The branch page-guard-runs is not in this clone. Clone all branches (GitHub: fetch-depth: 0, GitLab: GIT_DEPTH: 0)." >&2
    exit 1
  fi
  mkdir -p kept/runs kept/reports
}
