#!/bin/sh
# For a pull request from a fork: its code is a stranger's, so it gets no token, no state and no passphrase. The program
# runs against an empty stack that is thrown away. All that needs no request is checked; the rest is said not to be.
set -eu
stack=$1

unset PAGE_GUARD_API_TOKEN GITHUB_TOKEN GITLAB_TOKEN
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
export PAGE_GUARD_OFFLINE=1 PULUMI_BACKEND_URL="file://$state" PULUMI_CONFIG_PASSPHRASE=""

checked=0
npm run --if-present check || checked=$?
node "$(dirname "$0")/without-secrets.mjs" "Pulumi.$stack.yaml"
pulumi stack init "$stack" --non-interactive
note="From a fork: previewed without token and state. Everything is shown as created, and no zone was looked at."
echo "$note"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then printf '%s\n\n' "$note" >> "$GITHUB_STEP_SUMMARY"; fi
npx --no-install page-guard review ${GITHUB_STEP_SUMMARY:+--summary} --html review.html -- \
  pulumi preview --non-interactive --stack "$stack" \
  ${POLICY_PACK:+--policy-pack "$POLICY_PACK"} ${POLICY_PACK_CONFIG:+--policy-pack-config "$POLICY_PACK_CONFIG"}
exit "$checked"
