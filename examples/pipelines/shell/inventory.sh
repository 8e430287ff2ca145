#!/bin/sh
# Each night: what is new goes into the folder inventory, and inventory.md says what is left to do. Needs a token that may
# read zones. Where it could not read all of them it leaves inventory.failed: inventory-end.sh adds what was read, and fails.
set -eu
zones=$1

rm -f inventory.failed
if [ ! -f "$zones" ]; then
  echo "There is no $zones, so no inventory is kept."
  exit 0
fi
npx --no-install page-guard inventory update --zones "$zones" || touch inventory.failed
code=0
npx --no-install page-guard inventory check --zones "$zones" --markdown inventory.md || code=$?
if [ "$code" = 1 ]; then touch inventory.failed; fi
