#!/bin/sh
# After a merge, before anybody approves: writes what the apply will do into approved.json and shows it. Needs a token that
# may read.
set -eu
stack=$1

npx page-guard review --approve approved.json --html review.html ${GITHUB_STEP_SUMMARY:+--summary} -- \
  pulumi preview --non-interactive --stack "$stack"
