#!/bin/sh
# Adds new contents of the folder kept to the branch page-guard-runs: lines at the ends of files, and reports that are not on the
# branch yet. Changes nothing that is already on the branch. Needs only a token that may push.
set -eu
if [ ! -d kept ]; then echo "Nothing to keep." && exit 0; fi
. "$(dirname "$0")/git.sh"
if [ -n "$(find kept ! -type f ! -type d)" ]; then echo "The folder kept may contain only files." && exit 1; fi
kept=$(pwd)/kept
# The commit that the job has unpacked. People may have corrected or removed some of its lines and reports since.
base=$(cat kept/runs/unpacked.txt 2> /dev/null) || base=
# had PATH: whether the unpacked commit contains the path.
had() { [ -n "$base" ] && git cat-file -e "$base:$1" 2> /dev/null; }
branch=refs/remotes/origin/page-guard-runs
for attempt in 1 2 3 4 5; do
  fetch_runs
  if [ -n "$base" ] && ! git merge-base --is-ancestor "$base" "$branch"; then
    echo "The branch page-guard-runs was rewritten after the job had read it. Start the job again." && exit 1
  fi
  rm -rf runs
  git worktree prune
  git worktree add --quiet --force --detach runs
  git -C runs checkout --quiet --detach "$branch" 2> checkout.txt || {
    git -C runs checkout --quiet --orphan "page-guard-runs-$attempt" && git -C runs rm -rf --quiet .
  }
  mkdir -p runs/runs runs/reports
  # With this file, git leaves the line ends as they were written, in every clone.
  if [ ! -e runs/.gitattributes ]; then echo "* -text" > runs/.gitattributes; fi
  for file in "$kept"/runs/*.jsonl; do
    if [ ! -e "$file" ]; then continue; fi
    to="runs/runs/$(basename "$file")"
    touch "$to"
    cp "$to" before.jsonl
    # Somebody may have written the last line by hand, without a line break.
    if [ -s "$to" ] && [ "$(tail -c 1 "$to" | wc -l)" = 0 ]; then echo >> "$to"; fi
    size=0
    if had "${to#runs/}"; then size=$(git cat-file -s "$base:${to#runs/}"); fi
    tail -c "+$((size + 1))" "$file" | grep -av '^$' > added.jsonl || test $? = 1
    # An earlier attempt may have pushed some of these lines.
    grep -axFf added.jsonl before.jsonl > pushed.jsonl || test $? = 1
    grep -avxFf pushed.jsonl added.jsonl > new.jsonl || test $? = 1
    if [ -s new.jsonl ] && [ -s tip.txt ] && [ -z "$base" ]; then
      echo "The job did not see the branch page-guard-runs, so its lines would begin a second chain. Start the job again." && exit 1
    fi
    cat new.jsonl >> "$to"
    if ! cmp -s -n "$(wc -c < before.jsonl)" before.jsonl "$to"; then echo "Lines of $to would be changed." && exit 1; fi
  done
  for report in "$kept"/reports/*; do
    if [ -e "$report" ] && [ ! -e "runs/reports/${report##*/}" ] && ! had "reports/${report##*/}"; then cp -R "$report" runs/reports; fi
  done
  git -C runs add --all
  if git -C runs diff --cached --quiet; then echo "Nothing new." && exit 0; fi
  git -C runs commit --quiet --message "The zones on $(date -u +%F)"
  require_plain "$(git -C runs rev-parse HEAD)"
  # The push is refused if another job has pushed in the meantime. The next attempt then adds to that job's commit.
  if git -C runs push --quiet origin HEAD:refs/heads/page-guard-runs; then exit 0; fi
  sleep "$attempt"
done
echo "The branch page-guard-runs cannot be pushed: see above."
exit 1
