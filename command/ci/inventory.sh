#!/bin/sh
# Each night: inventory.md says what is wrong, by the inventory of main, urgent.md which scripts are malicious or have changed; each
# is empty where nothing is, and not there where that is not known. inventory.patch has what is new, for the branch of the open
# request with main merged in; kept/runs a line about this check. Needs a token that may read zones, and may write nothing. Fails
# where a script is malicious or has changed, and where not all could be checked.
set -eu
. "$(dirname "$0")/git.sh"
unpack_runs
if [ ! -f "$1" ]; then
  : > inventory.md
  if [ ! -d inventory ] && [ -z "$(ls kept/runs)" ]; then echo "There is no $1, so no inventory is kept." && : > urgent.md && exit 0; fi
  printf '## There is no %s: no script is checked\n\n- Write it again, or delete the folder inventory and this workflow.\n' "$1" > inventory.md
  exit 1
fi
red=0
# try WHAT COMMAND...: runs it, and says in reasons.txt why it failed. 2 says that it has found something.
try() {
  what=$1
  shift
  code=0
  ("$@") 2> said.txt || code=$?
  cat said.txt >&2
  case $code in 0 | 2) return 0 ;; esac
  red=1
  printf '\n## %s\n\n' "$what" >> reasons.txt
  tail -n 20 said.txt | cut -c 1-500 | sed 's/^/    /' >> reasons.txt
}
: > reasons.txt
try "The inventory could not be checked" \
  npx --no-install page-guard inventory check --zones "$1" --markdown inventory.md --urgent urgent.md
if [ -s urgent.md ]; then red=1; fi
# The line is added whatever this says: a report is not complete where a check is not.
lines=$(cat kept/runs/*.jsonl 2> said.txt | wc -l)
npx --no-install page-guard report --zones "$1" --inventory inventory --since kept/reports --runs kept/runs --record --check \
  --key-env REPORT_RUNS_KEY --out nightly --format json || echo "The report ended with $?."
try "No line about this check could be added" test "$(cat kept/runs/*.jsonl 2> said.txt | wc -l)" -gt "$lines"
try "What is new could not be added to the open request" open_request
if [ "$code" = 0 ]; then
  try "What is new could not be written" npx --no-install page-guard inventory update --zones "$1" --inventory request/inventory
  git -C request add inventory
  git -C request diff --cached --binary > inventory.patch
fi
cat reasons.txt >> inventory.md
exit "$red"
