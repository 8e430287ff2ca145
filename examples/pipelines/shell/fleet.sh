#!/bin/sh
# One machine's part of a fleet. SHARD (1/4) says which; GitLab says it in its own words. What it leaves is in fleet/1-of-4.
# preview, plan and drift need a token that may read; wave-1, wave-2, … and rest, which is all waves, one that may write.
set -eu
what=$1
shard=${SHARD:-$CI_NODE_INDEX/$CI_NODE_TOTAL}
of=${shard#*/}
part=fleet/${shard%/*}-of-$of

# One token for all machines: each may use an equal part of its limit.
fleet() {
  command=$1
  shift
  npx --no-install page-guard fleet "$command" --zones "$ZONES" --shard "$shard" --share "1/$of" "$@"
}

code=0
case $what in
  preview | plan)
    checked=0
    npm run --if-present check || checked=$?
    set -- --max-impact "${MAX_IMPACT:-0}" --markdown "$part/review.md"
    if [ "$what" = plan ]; then set -- "$@" --approve "$part/approved"; fi
    fleet preview "$@" || code=$?
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$part/review.md" ]; then cat "$part/review.md" >> "$GITHUB_STEP_SUMMARY"; fi
    if [ "$code" = 0 ]; then code=$checked; fi
    ;;
  drift)
    mkdir -p "$part"
    fleet drift > "$part/drift.txt" || code=$?
    cat "$part/drift.txt"
    if [ "$code" = 0 ]; then mv "$part/drift.txt" "$part/no-drift.txt"; fi
    # Drift is for the issue. Only where a zone could not be checked the job fails.
    if [ "$code" = 2 ]; then code=0; fi
    ;;
  wave-* | rest)
    set -- --approved "$part/approved" --wait 20
    if [ "$what" != rest ]; then set -- "$@" --wave "${what#wave-}"; fi
    # One stack's name: what is behind a comma would allow more.
    if [ -n "${UNREVIEWED_MIGRATION:-}" ]; then set -- "$@" --allow "unreviewed-migration=${UNREVIEWED_MIGRATION%%,*}"; fi
    fleet apply "$@" || code=$?
    ;;
  *) echo "fleet.sh: there is no $what." >&2 && code=1 ;;
esac
exit "$code"
