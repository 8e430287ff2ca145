import type { FindingGroups } from "./finding-meaning";

/** Findings about inputs, settings, states and the run itself. */
export const runFindings = {
  error: {
    "base-url-not-allowed": {
      concern: "others",
      means:
        "The environment names the base URL, and a program, a state or a stack config names another one.",
      wayOut: "Remove the other base URL, or list it in the environment variable `PAGE_GUARD_BASE_URLS`.",
    },
    "import-option": {
      means: "The resource option `import` does not work for these resources.",
      wayOut:
        "Remove the option: what the zone has is adopted. For many objects, use `page-guard export` and its `import.json`.",
    },
    "input-invalid": {
      means: "An argument has a value that it cannot have.",
      wayOut: "Correct the argument; the message says what is expected.",
    },
    "input-lost-name": {
      means: "A name in the arguments would be lost on its way to the provider.",
      wayOut: "Choose another name.",
    },
    "input-unknown-argument": {
      means: "The resource has no such argument.",
      wayOut: "Correct the name; the message has the closest one.",
    },
    "nothing-to-get": {
      means: "No object has the id that `get` names.",
      wayOut: "Correct the id in the program.",
    },
    "offline-apply": {
      means: "PAGE_GUARD_OFFLINE is set, so nothing is applied.",
      wayOut: "Unset PAGE_GUARD_OFFLINE.",
    },
    "program-refused": {
      means: "The program has invalid declarations; nothing declared with them was changed.",
      wayOut: "Fix what is reported for each resource.",
    },
    "provider-forged": {
      concern: "others",
      means: "A resource with a type of this package runs code of the program's own, with the token.",
      wayOut:
        "Do not approve it. Declare the resource with its class, and read what the program's own provider does. `page-guard apply` never applies it.",
    },
    "state-of-newer-version": {
      means: "A newer version of this package wrote the state.",
      wayOut: "Install the version that made the last update, or a newer one.",
    },
    "state-unreadable": {
      means: "The state was edited or damaged: it holds what this package does not write.",
      wayOut:
        "Restore an earlier checkpoint with `pulumi stack import`, or remove the resource from the state and import it again.",
    },
    "two-for-one-zone": {
      means: "Two resources declare what a zone has only once.",
      wayOut: "Keep one of the two and move both declarations into it.",
    },
    unexpected: {
      means: "An unexpected failure.",
      wayOut: "Run again; if it keeps failing, report it with the message.",
    },
    "version-too-old": {
      means: "Node or @pulumi/pulumi is too old.",
      wayOut: "Install what the message names.",
    },
  },
  warning: {
    offline: {
      means: "No request is sent to the service, so much was not checked.",
      wayOut: "Unset PAGE_GUARD_OFFLINE where the service can be reached.",
    },
    "plain-token": {
      means: "The API token is in the stack's config without encryption.",
      wayOut: "Write it with `pulumi config set --secret page-guard:apiToken`, and replace the token.",
    },
    "settings-adopted": {
      concern: "taken",
      means: "The zone's settings are in use already, and this resource adopts them.",
      wayOut: "Nothing to do if that is intended; the message says what a destroy restores.",
    },
  },
} as const satisfies FindingGroups;
