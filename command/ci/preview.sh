#!/bin/sh
# Writes review.md and review.html, even if the preview fails. Needs read tokens. Exits with the preview's exit code; if that is 0, with
# the exit code of the program's type check.
set -eu
. "$(dirname "$0")/environment.sh"
checked=0
without_secrets npm run --if-present check || checked=$?
npx --no-install page-guard review --markdown review.md --html review.html ${GITHUB_STEP_SUMMARY:+--summary} -- \
  pulumi preview --non-interactive --stack "$1" ${STACK_SETTINGS:+--config-file "$STACK_SETTINGS"} \
  ${POLICY_PACK:+--policy-pack "$POLICY_PACK"} ${POLICY_PACK_CONFIG:+--policy-pack-config "$POLICY_PACK_CONFIG"}
exit "$checked"
