#!/bin/sh
# Runs each night and compares the zones with the inventory of main. inventory.md says what is wrong or could not be checked, and
# urgent.md says which scripts are malicious or have changed. Both files are empty if there is nothing to say. urgent.md is
# missing if nothing urgent was found but the check is incomplete. inventory.patch adds the new entries to the branch of the open
# request, with main merged in. kept/runs gets a line about this check. Needs a token that may read zones and write nothing. Fails
# if a script is malicious or has changed, or if not everything could be checked.
set -eu
. "$(dirname "$0")/git.sh"
unpack_runs
if [ ! -f "$1" ]; then
  : > inventory.md
  if [ ! -d inventory ] && [ -z "$(ls kept/runs)" ]; then echo "There is no $1, so no inventory is kept." && : > urgent.md && exit 0; fi
  printf '## There is no %s: no script is checked\n\n- Restore this file, or delete the folder inventory and this workflow.\n' "$1" > inventory.md
  exit 1
fi
red=0
# try WHAT COMMAND...: runs the command, or the function up to the first command that fails. If it fails, writes WHAT and the reason to
# reasons.txt. Exit code 2 of page-guard is no failure: it means that page-guard has found something.
try() {
  what=$1
  shift
  # Does not use `|| code=$?`, because set -e has no effect in a function on the left of ||.
  set +e
  (set -e; "$@") 2> said.txt
  code=$?
  set -e
  cat said.txt >&2
  case "$code $1" in 0\ * | "2 npx") return 0 ;; esac
  red=1
  printf '\n## %s\n\n' "$what" >> reasons.txt
  tail -n 20 said.txt | cut -c 1-500 | sed 's/^/    /' >> reasons.txt
}
: > reasons.txt
try "The inventory could not be checked" \
  npx --no-install page-guard inventory check --zones "$1" --markdown inventory.md --urgent urgent.md
if [ -s urgent.md ]; then red=1; fi
# Ignores the exit code of the report, because the report of an incomplete check fails, but still adds its line.
lines=$(cat kept/runs/*.jsonl 2> said.txt | wc -l)
npx --no-install page-guard report --zones "$1" --inventory inventory --since kept/reports --runs kept/runs --record --check \
  --key-env REPORT_RUNS_KEY --out nightly --format json 2> report.txt || echo "The report exited with $?."
cat report.txt >&2
try "No line about this check could be added" test "$(cat kept/runs/*.jsonl 2> said.txt | wc -l)" -gt "$lines"
# An alarm about a zone that has left the list must not be closed, because nothing checks that zone any more.
zones_left() {
  node - <<'END'
const { head, data } = JSON.parse(require("node:fs").readFileSync("nightly/report.json", "utf8"));
const recent = Date.parse(head.madeAt) - 8 * 24 * 60 * 60 * 1000;
const left = (data.runs?.left ?? []).filter(({ last }) => Date.parse(last) >= recent);
for (const { name, last } of left) console.error(`${name}, last checked on ${last.slice(0, 10)}`);
if (left.length > 0) console.error("If they were removed on purpose, close their issues. After eight days, they are no longer named.");
process.exit(left.length > 0 ? 1 : 0);
END
}
if [ -f nightly/report.json ]; then
  try "Zones are no longer in $1" zones_left
else
  try "Zones that are no longer in $1 could not be looked for" sh -c 'cat report.txt >&2; exit 1'
fi
if [ "$code" != 0 ] && [ ! -s urgent.md ]; then rm -f urgent.md; fi
try "New entries could not be added to the open request" open_request
if [ "$code" = 0 ]; then
  try "New entries could not be written" npx --no-install page-guard inventory update --zones "$1" --inventory "request/${place}inventory"
  git -C request add .
  git -C request diff --cached --binary > inventory.patch
fi
cat reasons.txt >> inventory.md
exit "$red"
