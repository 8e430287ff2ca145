#!/bin/sh
# Complains when nobody has looked for drift in the last two days: schedules are dropped and switched off silently.
set -eu
title="Nobody looks for drift"

code=0
node "$(dirname "$0")/last-run.mjs" "$1" 48 > heartbeat.txt || code=$?
cat heartbeat.txt
case $code in
  0) npx --no-install page-guard issue --title "$title" --close ;;
  2) npx --no-install page-guard issue --title "$title" --file heartbeat.txt ;;
  *) exit "$code" ;;
esac
