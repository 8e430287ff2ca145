#!/bin/sh
# After a merge, before anyone approves: writes what the apply will do into approved.json and shows it. The folder undo gets
# what the apply deletes or overwrites, as a program that puts it back. Needs a token that may read.
set -eu
stack=$1

npm run --if-present check
# Left by an earlier run, where the runner keeps its folder: two undos are not to be mixed.
rm -rf undo
npx --no-install page-guard review --approve approved.json --html review.html --undo undo ${GITHUB_STEP_SUMMARY:+--summary} -- \
  pulumi preview --non-interactive --stack "$stack" \
  ${POLICY_PACK:+--policy-pack "$POLICY_PACK"} ${POLICY_PACK_CONFIG:+--policy-pack-config "$POLICY_PACK_CONFIG"}
# Where there is nothing to do, nobody has to be asked.
changes=$(node -p 'JSON.parse(require("fs").readFileSync("approved.json", "utf8")).steps.length > 0')
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "changes=$changes" >> "$GITHUB_OUTPUT"; fi
if [ "$changes" = false ]; then echo "Nothing to do: leave the job apply as it is."; fi
