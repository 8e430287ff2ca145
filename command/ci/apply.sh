#!/bin/sh
# Carries out the update that approved.json describes, or nothing. Needs the write token. UNREVIEWED_MIGRATION names one
# stack whose migration may start without approval. The name is cut at its first comma, because a comma would add another value
# to --allow. Starts the command with node, not with npx, which would end at a signal before the command does.
set -eu
exec node "$(dirname "$0")/../dist/main.js" apply --approved approved.json --wait 20m \
  ${UNREVIEWED_MIGRATION:+--allow "unreviewed-migration=${UNREVIEWED_MIGRATION%%,*}"} -- \
  pulumi up --stack "$1" ${REFRESH:+--refresh} \
  ${POLICY_PACK:+--policy-pack "$POLICY_PACK"} ${POLICY_PACK_CONFIG:+--policy-pack-config "$POLICY_PACK_CONFIG"}
