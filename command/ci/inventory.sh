#!/bin/sh
# Each night: inventory.md says what is wrong, by the inventory of main; it is empty where nothing is. What is new goes into the
# folder request: the branch of the open request, with main merged in. Needs a token that may read zones. Fails where a script
# is malicious or has changed, and where not all could be checked.
set -eu
if [ ! -f "$1" ]; then echo "There is no $1, so no inventory is kept." && : > inventory.md && exit 0; fi
printf '## The inventory could not be checked\n\nThe log of the job says why.\n' > inventory.md
red=0
code=0
npx --no-install page-guard inventory check --zones "$1" --markdown inventory.md || code=$?
case $code in 0) : > inventory.md ;; 2) ;; *) red=1 ;; esac
if grep -q '`inventory-\(malicious\|changed\|returned\)` |$' inventory.md; then red=1; fi

. "$(dirname "$0")/git.sh"
main=$(git rev-parse HEAD)
git worktree add --quiet --force --detach request
if git rev-parse --quiet --verify origin/page-guard/inventory > request.txt; then
  git -C request checkout --quiet --detach "$(cat request.txt)"
  git -C request merge --quiet --no-edit "$main" || {
    echo "main cannot be merged into page-guard/inventory. Merge it there by hand, or delete that branch." && exit 1
  }
fi
if [ -n "$(find request/inventory ! -type d ! -type f 2> request.txt)" ]; then
  echo "The folder inventory of page-guard/inventory may hold files only." && exit 1
fi
npx --no-install page-guard inventory update --zones "$1" --inventory request/inventory || red=1
exit "$red"
