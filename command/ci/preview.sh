#!/bin/sh
# review.md and review.html, also when the preview fails. Needs tokens that may read. Ends with the exit code of the preview,
# else with that of the program's types.
set -eu
checked=0
npm run --if-present check || checked=$?
npx --no-install page-guard review --markdown review.md --html review.html ${GITHUB_STEP_SUMMARY:+--summary} -- \
  pulumi preview --non-interactive --stack "$1" \
  ${POLICY_PACK:+--policy-pack "$POLICY_PACK"} ${POLICY_PACK_CONFIG:+--policy-pack-config "$POLICY_PACK_CONFIG"}
exit "$checked"
