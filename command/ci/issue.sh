#!/bin/sh
# issue.sh KEY FILE [TITLE]: one issue that is open while FILE says something; its title is FILE's heading where none is given.
# Needs a token that may write issues. Where there is no FILE, nobody looked: fails.
set -eu
if [ ! -e "$2" ]; then echo "There is no $2, so the check did not run." && exit 1; fi
title=${3:-$(sed -n 's/\\//g; s/^## //p' "$2" | head -n 1)}
if [ -s "$2" ]; then npx --no-install page-guard issue --key "$1" --title "$title" --file "$2"
else npx --no-install page-guard issue --key "$1" --close; fi
