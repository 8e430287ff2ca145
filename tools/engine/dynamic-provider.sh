#!/bin/sh
# Starts the dynamic provider of the program's SDK. The SDK's own script, beside this one, starts a Node process to find the SDK. Most
# programs have the SDK in a node_modules above them, so this script looks there first, and saves that process.
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
