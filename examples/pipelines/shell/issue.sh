#!/bin/sh
# One issue that is open as long as there is a drift.txt. Needs a token that may write issues, and nothing else.
set -eu
title="Drift in $1"

if [ -f drift.txt ]; then
  npx --no-install page-guard issue --title "$title" --file drift.txt
else
  npx --no-install page-guard issue --title "$title" --close
fi
