#!/bin/sh
# After the approval: does what approved.json holds, or nothing. Needs the token that may write. Waits up to 20 minutes for
# another update of the stack to end.
set -eu
stack=$1

npx page-guard apply --approved approved.json --wait 20 -- pulumi up --stack "$stack"
