#!/bin/sh
# The packages of the program and of the policy pack. None runs anything while it is installed.
set -eu
npm ci --ignore-scripts
if [ -n "${POLICY_PACK:-}" ]; then npm ci --ignore-scripts --prefix "$POLICY_PACK"; fi
