#!/bin/sh
# Each night: inventory.md says what is wrong, by the inventory of main; it is empty where nothing is. inventory.patch has what is
# new, for the branch of the open request with main merged in. Needs a token that may read zones, and may write nothing. Fails
# where a script is malicious or has changed, and where not all could be checked.
set -eu
: > inventory.patch
if [ ! -f "$1" ]; then echo "There is no $1, so no inventory is kept." && : > inventory.md && exit 0; fi
printf '## The inventory could not be checked\n\nThe log of the job says why.\n' > inventory.md
red=0
code=0
npx --no-install page-guard inventory check --zones "$1" --markdown inventory.md || code=$?
case $code in 0) : > inventory.md ;; 2) ;; *) red=1 ;; esac
if grep -q '`inventory-\(malicious\|changed\|returned\)` |$' inventory.md; then red=1; fi

. "$(dirname "$0")/git.sh"
open_request
npx --no-install page-guard inventory update --zones "$1" --inventory request/inventory || red=1
git -C request add inventory
git -C request diff --cached --binary > inventory.patch
exit "$red"
