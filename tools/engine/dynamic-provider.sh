#!/bin/sh
# Starts the dynamic provider of the program's SDK, like the SDK's own script, which is beside this one. That script starts a
# Node process to find the SDK. Most programs have the SDK in a node_modules above them, so this script looks there first.
folder=$PWD
while [ -n "$folder" ]; do
  script=$folder/node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js
  if [ -f "$script" ]; then
    node "$script" "$@"
    exit
  fi
  folder=${folder%/*}
done
exec sh "${0%/*}/sdk-dynamic-provider" "$@"
