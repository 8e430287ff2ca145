#!/bin/sh
# The folder inventory as the open request of an earlier night has it, with what main has by now; as main has it where none is
# open. Needs a token that may read the repository and its requests.
set -eu
exec node "$(dirname "$0")/inventory-request.mjs" begin
