#!/bin/sh
# Each week: a report on the zones and a line about this run, in the folder kept, which is the branch page-guard-runs; report.md
# says what needs a person, and is empty where nothing does. Needs a token that may read zones. Ends with the report's exit code.
set -eu
if [ ! -f "$1" ]; then echo "There is no $1, so no report is made." && : > report.md && exit 0; fi
printf '## There is no report of this week\n\nThe log of the job says why.\n' > report.md
. "$(dirname "$0")/git.sh"
mkdir -p kept/runs kept/reports
if git rev-parse --quiet --verify origin/page-guard-runs > runs.txt; then
  require_plain "$(cat runs.txt)"
  git archive "$(cat runs.txt)" | tar -x -C kept
fi
# The last eight days, or since the first run: an older gap has had its alert. For an assessor run it with the --from of the whole period.
first=$(cat kept/runs/*.jsonl 2> runs.txt | sed -n '1s/.*"when":"\([0-9-]*\)T.*/\1/p')
from=$(printf '%s\n' "$(date -u -d '8 days ago' +%F)" "$first" | sort | tail -n 1)
out="kept/reports/$(date -u +%F)"
code=0
npx --no-install page-guard report ${first:+--from "$from"} --zones "$1" --inventory inventory --since kept/reports --runs kept/runs --record --check \
  --key-env REPORT_RUNS_KEY --out "$out" --format html,md,csv,json || code=$?
if [ -f "$out/report.md" ]; then cp "$out/report.md" report.md; fi
if [ "$code" = 0 ]; then : > report.md; fi
exit "$code"
