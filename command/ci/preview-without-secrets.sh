#!/bin/sh
# Previews code from outside without a token, the state or a passphrase: on an empty, temporary stack, with a placeholder for each
# secret of the settings. The preview makes all checks that need no request. The output says that it read no zone.
set -eu
. "$(dirname "$0")/environment.sh"
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
stack=${1##*/}
# Works on a copy, so that the settings stay as they are if somebody runs this by hand.
node - "$(dirname "$0")" "$state" "$stack" << 'END'
const [, , ci, state, stack] = process.argv;
const { existsSync, readFileSync, realpathSync, writeFileSync } = require("fs");
const { join } = require("path");
const { parse, parseDocument, visit } = require(require.resolve("yaml", { paths: [realpathSync(ci)] }));
const find = (base) => [".yaml", ".yml", ".json"].map((ending) => base + ending).find(existsSync);
const project = parse(readFileSync(find("Pulumi") ?? "Pulumi.yaml", "utf8"));
writeFileSync(join(state, "Pulumi.yaml"), JSON.stringify({ name: project.name, runtime: project.runtime }));
const folder = project.stackConfigDir ?? (typeof project.config === "string" ? project.config : "");
const file = find(join(folder, `Pulumi.${stack}`));
// The YAML schema "failsafe" has no numbers and no booleans, so values other than secrets stay as they are written.
const settings = parseDocument(file === undefined ? "" : readFileSync(file, "utf8"), { schema: "failsafe" });
for (const name of ["encryptionsalt", "encryptedkey", "secretsprovider"]) settings.contents?.delete(name);
visit(settings, {
  Map(_, { anchor, items: [item, ...others] }) {
    if (String(item?.key) !== "secure" || others.length > 0) return undefined;
    return Object.assign(settings.createNode("secret, not known here"), { anchor });
  },
});
writeFileSync(join(state, `Pulumi.${stack}.yaml`), settings.contents === null ? "" : String(settings));
END
set -- PAGE_GUARD_OFFLINE=1 PULUMI_BACKEND_URL="file://$state" PULUMI_CONFIG_PASSPHRASE= STACK_SETTINGS="$state/Pulumi.$stack.yaml"
without_secrets "$@" pulumi -C "$state" stack init "$stack" --non-interactive
note="From a fork: previewed without token and state. Everything is shown as created, and no zone was read."
echo "$note" | tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"
without_secrets "$@" sh "$(dirname "$0")/preview.sh" "$stack"
