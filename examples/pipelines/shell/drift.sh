#!/bin/sh
# Each night: one issue that is open as long as a zone is not what the stack says. Needs a token that may read.
# Fails only when it could not look.
set -eu
stack=$1
title="Drift in $stack"

code=0
npx page-guard drift --stack "$stack" > drift.txt || code=$?
cat drift.txt
case $code in
  0) npx page-guard issue --title "$title" --close ;;
  2) npx page-guard issue --title "$title" --file drift.txt ;;
  *) exit "$code" ;;
esac
