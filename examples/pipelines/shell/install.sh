#!/bin/sh
# The packages of the program, and those of the policy pack, which has a package-lock.json of its own.
set -eu

npm ci
if [ -n "${POLICY_PACK:-}" ]; then npm ci --prefix "$POLICY_PACK"; fi
