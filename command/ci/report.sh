#!/bin/sh
# Runs each week. Writes a report on the zones and a line about this run to the folder kept, which is a copy of the branch
# page-guard-runs. report.md says what needs a person, and is empty if nothing does. Needs a token that may read zones. Exits with
# the report's exit code.
set -eu
. "$(dirname "$0")/git.sh"
unpack_runs
if [ ! -f "$1" ]; then
  if [ -z "$(ls kept/runs)" ]; then echo "There is no $1, so no report is made." && : > report.md && exit 0; fi
  printf '## There is no %s: no report is made\n\n- Restore this file, or delete this workflow.\n' "$1" > report.md
  exit 1
fi
# The report covers the last eight days, or the time since the first run if this is shorter, because people have already been
# alerted about older gaps. For an assessor, run the report with --from and the start of the whole period.
first=$(cat kept/runs/*.jsonl 2> runs.txt | sed -n '1s/.*"when":"\([0-9-]*\)T.*/\1/p')
begin=$(node -p 'new Date(Date.now() - 8 * 86400000).toISOString().slice(0, 10)')
from=$(printf '%s\n' "$begin" "$first" | sort | tail -n 1)
# If the clock of the first run was ahead, the report begins today.
from=$(printf '%s\n' "$from" "$(date -u +%Y-%m-%d)" | sort | head -n 1)
code=0
npx --no-install page-guard report ${first:+--from "$from"} --zones "$1" --inventory inventory --since kept/reports --runs kept/runs --record --check \
  --key-env REPORT_RUNS_KEY --out kept/new --format html,md,csv,json 2> said.txt || code=$?
cat said.txt >&2
# The folder's name is the date of the report, which may be the day after the job began. Existing files stay as they are.
out="kept/reports/$(cat kept/new/report.json 2> runs.txt | sed -n 's/.*"madeAt": "\([0-9-]*\)T.*/\1/p' | head -n 1)"
if [ -e "$out" ]; then out="$out-$(date -u +%H%M%S)"; fi
if [ -d kept/new ]; then mv kept/new "$out"; fi
printf '## There is no report for this week\n\n' > report.md
tail -n 20 said.txt | cut -c 1-500 | sed 's/^/    /' >> report.md
if [ -f "$out/report.md" ]; then
  worst=$(sed -n 's/^- \*\*Act\*\* //p' "$out/report.md" | head -n 1)
  printf "## This week's report needs a person%s\n\n" "${worst:+: $worst}" > report.md
  cat "$out/report.md" >> report.md
fi
if [ "$code" = 0 ]; then : > report.md; fi
exit "$code"
