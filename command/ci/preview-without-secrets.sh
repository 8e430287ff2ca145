#!/bin/sh
# Code from outside gets no token, no state and no passphrase: it runs against an empty, temporary stack, with a placeholder for each
# secret of the settings. Everything that needs no request is checked. The output says what was not checked.
set -eu
unset PAGE_GUARD_API_TOKEN GITHUB_TOKEN GITLAB_TOKEN
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
export PAGE_GUARD_OFFLINE=1 PULUMI_BACKEND_URL="file://$state" PULUMI_CONFIG_PASSPHRASE=""
# Works on a copy, so that the settings stay as they are if somebody runs this by hand.
cp Pulumi.yaml "$state"
stack=${1##*/}
export STACK_SETTINGS="$state/Pulumi.$stack.yaml"
touch "$STACK_SETTINGS"
if [ -f "Pulumi.$stack.yaml" ]; then
  node - "$(dirname "$0")" "Pulumi.$stack.yaml" > "$STACK_SETTINGS" << 'END'
const [, , ci, file] = process.argv;
const { readFileSync, realpathSync } = require("fs");
const { parseDocument, visit } = require(require.resolve("yaml", { paths: [realpathSync(ci)] }));
// The schema failsafe has no numbers and no booleans, so values other than secrets stay as they are written.
const settings = parseDocument(readFileSync(file, "utf8"), { schema: "failsafe" });
for (const name of ["encryptionsalt", "encryptedkey", "secretsprovider"]) settings.contents?.delete(name);
visit(settings, {
  Map(_, { anchor, items: [item, ...others] }) {
    if (String(item?.key) !== "secure" || others.length > 0) return undefined;
    return Object.assign(settings.createNode("secret, not known here"), { anchor });
  },
});
console.log(settings.contents === null ? "" : String(settings));
END
fi
pulumi -C "$state" stack init "$stack" --non-interactive
note="From a fork: previewed without token and state. Everything is shown as created, and no zone was read."
echo "$note" | tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"
sh "$(dirname "$0")/preview.sh" "$stack"
