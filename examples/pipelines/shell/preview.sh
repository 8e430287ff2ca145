#!/bin/sh
# For a pull or merge request of the repository itself: the preview of a stack as a comment. Needs a token that may read.
# Ends with the exit code of the preview: a preview that fails has its comment, too.
set -eu
stack=$1

code=0
npx page-guard review --markdown review.md --html review.html ${GITHUB_STEP_SUMMARY:+--summary} -- \
  pulumi preview --non-interactive --stack "$stack" || code=$?
if [ -f review.md ]; then
  npx page-guard comment --markdown review.md || [ "$code" -ne 0 ] || code=1
fi
exit "$code"
