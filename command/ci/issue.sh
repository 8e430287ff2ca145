#!/bin/sh
# issue.sh KEY FILE [TITLE]: one issue that is open while FILE says something; its title is FILE's heading where none is given.
# Needs a token that may write issues. Where there is no FILE, nobody looked: fails. Beside the runs it leaves a line for the
# report: when people were alerted, and when that was over.
set -eu
if [ ! -e "$2" ]; then echo "There is no $2, so the check did not run." && exit 1; fi
title=${3:-$(sed -n 's/\\//g; s/^## //p' "$2" | head -n 1)}
if [ -s "$2" ]; then did=$(npx --no-install page-guard issue --key "$1" --title "$title" --file "$2")
else did=$(npx --no-install page-guard issue --key "$1" --close); fi
printf '%s\n' "$did"
if [ ! -d kept/runs ]; then exit 0; fi
alert='{"when":"'$(date -u +%FT%TZ)'","what":"page-guard issue","alert":{"reference":"\1"'
printf '%s\n' "$did" | sed -n "s/^Created .* \(http[^ \"]*\)$/$alert}}/p
s/^Closed .* \(http[^ \"]*\)$/$alert,\"closedOn\":\"$(date -u +%F)\"}}/p" >> kept/runs/alerts.jsonl
