#!/bin/sh
# One request with what is new in the folder inventory: opened where there is none, else the open one gets a commit more. Needs
# a token that may push a branch and write requests.
set -eu
exec node "$(dirname "$0")/inventory-request.mjs" end
