#!/bin/sh
# Writes drift.md: how the zones differ from the stack and what to do about it, or why they could not be compared. The file is empty
# if nothing differs. Needs read tokens. Fails only if not all zones could be compared.
set -eu
code=0
npx --no-install page-guard drift --stack "$1" > found.txt 2> said.txt || code=$?
cat found.txt said.txt
case $code in
  0) : > drift.md && exit 0 ;;
  2) title="Drift in $1" && code=0 ;;
  *) title="$1: not all zones could be compared" && tail -n 20 said.txt | cut -c 1-500 >> found.txt ;;
esac
printf '## %s\n\n' "$title" > drift.md
sed 's/^/    /' found.txt >> drift.md
if [ "$code" = 0 ]; then
  cat >> drift.md << 'END'

- **Put it back**: start `apply` by hand with its `refresh` option on (on GitLab, run a pipeline of main with the variable `REFRESH` set to `1`). Its plan reads the zones and shows what it would restore. Someone then approves the plan.
- **Keep it**: declare the changed objects as they are in the zone, in a pull request.
- A refresh does not find objects that were **never declared**: declare them (`page-guard drift --declare`), or delete them in the dashboard.
END
fi
exit "$code"
