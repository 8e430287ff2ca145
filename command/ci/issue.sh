#!/bin/sh
# issue.sh KEY FILE [TITLE]: one issue that is open while FILE says something; its title is FILE's heading where none is given.
# Needs a token that may write issues. Where there is no FILE, nobody looked: fails. Beside the runs it leaves a line for
# chain.sh, which has the key and no token: when people were alerted, and when that was over.
set -eu
if [ ! -e "$2" ]; then echo "There is no $2, so not all was checked: an open issue stays open." && exit 1; fi
title=${3:-$(sed -n 's/\\//g; s/^## //p' "$2" | head -n 1)}
record=
if [ -d kept/runs ]; then record="--record alerts"; fi
if [ -s "$2" ]; then set -- --key "$1" --title "$title" --file "$2"; else set -- --key "$1" --close; fi
npx --no-install page-guard issue "$@" $record
