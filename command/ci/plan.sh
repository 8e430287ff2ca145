#!/bin/sh
# Runs before anyone approves. Writes approved.json, which describes the update, and the folder undo, a program that restores the
# objects that the update deletes or overwrites. With REFRESH, reads the zones first, so that the update undoes drift. Needs read
# tokens.
set -eu
. "$(dirname "$0")/environment.sh"
without_secrets npm run --if-present check
rm -rf undo
npx --no-install page-guard review --approve approved.json --html review.html --undo undo ${GITHUB_STEP_SUMMARY:+--summary} -- \
  pulumi preview --non-interactive --stack "$1" ${REFRESH:+--refresh} \
  ${POLICY_PACK:+--policy-pack "$POLICY_PACK"} ${POLICY_PACK_CONFIG:+--policy-pack-config "$POLICY_PACK_CONFIG"}
# If there is nothing to do, nobody has to approve anything.
changes=$(node -p 'JSON.parse(require("fs").readFileSync("approved.json", "utf8")).steps.length > 0')
echo "changes=$changes" >> "${GITHUB_OUTPUT:-/dev/null}"
if [ "$changes" = false ]; then echo "Nothing to do: leave the job apply as it is."; fi
