import { apiSettings, isSwitchedOn, PageGuardError } from "pulumi-page-guard/tools";
import { forTerminal } from "../reports/escape";
import { type Check, fine, stops, warning } from "./check";

const name = "variables";

/** Variables that make a run dangerous or impossible. Their values are not shown. */
export function environmentChecks(env: NodeJS.ProcessEnv): readonly Check[] {
  const isOn = (variable: string): boolean => isSwitchedOn(env[variable]);
  const warnings: readonly (readonly [isFound: boolean, message: string])[] = [
    [
      isOn("PULUMI_SKIP_CHECKPOINTS"),
      "PULUMI_SKIP_CHECKPOINTS is set: an interrupted run forgets what it found and started. Unset it wherever a WafMigration, settings or an entry point is declared.",
    ],
    [
      (env["NODE_TLS_REJECT_UNAUTHORIZED"] ?? "").trim() === "0",
      "NODE_TLS_REJECT_UNAUTHORIZED is 0: the token is sent to whoever answers. Unset it; to trust another authority, use NODE_EXTRA_CA_CERTS.",
    ],
    [
      Number(env["PAGE_GUARD_MAX_REQUESTS_PER_5M"]) > 1200,
      "PAGE_GUARD_MAX_REQUESTS_PER_5M is above the documented limit of 1200: the service may block all requests of the user for five minutes.",
    ],
    [
      isOn("TF_LOG") || Number(env["PULUMI_LOGLEVEL"]) >= 9,
      "the engine's debug output is on, and it shows secrets of the stack's config. Do not share such a log.",
    ],
  ];
  const found = [
    ...(isOn("PAGE_GUARD_OFFLINE")
      ? [
          stops(
            name,
            "PAGE_GUARD_OFFLINE is set: a preview checks nothing, and an `up` is refused. Unset it.",
          ),
        ]
      : []),
    ...warnings.flatMap(([isFound, message]) => (isFound ? [warning(name, message)] : [])),
  ];
  try {
    apiSettings(env);
  } catch (error) {
    if (!(error instanceof PageGuardError)) throw error;
    found.push(stops(name, forTerminal(error.message, 400)));
  }
  return found.length > 0 ? found : [fine(name, "none that is dangerous")];
}
