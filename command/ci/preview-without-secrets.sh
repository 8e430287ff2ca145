#!/bin/sh
# Code from outside gets no token, no state and no passphrase: it runs against an empty, temporary stack, with a placeholder for each
# secret of the settings. Whatever needs no request is checked; the output says what is not.
set -eu
unset PAGE_GUARD_API_TOKEN GITHUB_TOKEN GITLAB_TOKEN
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
export PAGE_GUARD_OFFLINE=1 PULUMI_BACKEND_URL="file://$state" PULUMI_CONFIG_PASSPHRASE=""
# On a copy, so that the settings stay as they are if somebody runs this by hand.
cp Pulumi.yaml "$state"
export STACK_SETTINGS="$state/Pulumi.$1.yaml"
touch "$STACK_SETTINGS"
if [ -f "Pulumi.$1.yaml" ]; then cp "Pulumi.$1.yaml" "$STACK_SETTINGS"; fi
sed -E -i -z -e 's/(^|\n)(encryptionsalt|encryptedkey|secretsprovider):[^\n]*/\1/g' \
  -e 's/(:[ ]*\n[ ]*|: \{ ?)secure: [^\n }]+( ?\})?/: "secret, not known here"/g' \
  -e 's/- secure: [^\n]+/- "secret, not known here"/g' "$STACK_SETTINGS"
pulumi -C "$state" stack init "$1" --non-interactive
note="From a fork: previewed without token and state. Everything is shown as created, and no zone was looked at."
echo "$note" | tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"
sh "$(dirname "$0")/preview.sh" "$1"
