#!/bin/sh
# Starts the dynamic provider of the program's SDK, as the SDK's own script does (it is beside this one), without the
# process of Node that only asks where the SDK is: most programs have it in a node_modules above them.
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
