#!/bin/sh
# issue.sh KEY FILE: keeps one issue open while FILE is not empty. Its title is the heading of FILE.
# Needs a token that may write issues. Fails if FILE is missing, because then not everything was checked. Leaves a line for
# chain.sh, which has the key but no token. The line says when people were alerted, and when the alert ended.
set -eu
if [ ! -e "$2" ]; then echo "There is no $2, so not everything was checked. An open issue stays open." && exit 1; fi
record=
if [ -d kept/runs ]; then record="--record alerts"; fi
if [ -s "$2" ]; then set -- --key "$1" --file "$2"; else set -- --key "$1" --close; fi
npx --no-install page-guard issue "$@" $record
