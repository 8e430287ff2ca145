import { apiSettings } from "../../api/api-settings";
import { PageGuardError } from "../../errors/page-guard-error";
import { forTerminal } from "../../reports/escape";
import { isSwitchedOn } from "../../text/switched-on";
import { type Check, fine, stops, warning } from "./check";

const name = "variables";

/** Variables that make a run dangerous, or impossible. Their values are not shown. */
export function environmentChecks(env: NodeJS.ProcessEnv): readonly Check[] {
  const isOn = (variable: string): boolean => isSwitchedOn(env[variable]);
  const found: Check[] = [];
  if (isOn("PAGE_GUARD_OFFLINE")) {
    found.push(
      stops(name, "PAGE_GUARD_OFFLINE is set: a preview looks at nothing, and an `up` is refused. Unset it."),
    );
  }
  if (isOn("PULUMI_SKIP_CHECKPOINTS")) {
    found.push(
      warning(
        name,
        "PULUMI_SKIP_CHECKPOINTS is set: a run that is cut off forgets what it has found and begun. Unset it wherever a WafMigration, settings or an entry point is declared.",
      ),
    );
  }
  if ((env["NODE_TLS_REJECT_UNAUTHORIZED"] ?? "").trim() === "0") {
    found.push(
      warning(
        name,
        "NODE_TLS_REJECT_UNAUTHORIZED is 0: the token goes to whoever answers. Unset it; NODE_EXTRA_CA_CERTS names a further authority.",
      ),
    );
  }
  if (Number(env["PAGE_GUARD_MAX_REQUESTS_PER_5M"]) > 1200) {
    found.push(
      warning(
        name,
        "PAGE_GUARD_MAX_REQUESTS_PER_5M is above the service's documented 1200: it may block all of the user's requests for five minutes.",
      ),
    );
  }
  if (isOn("PULUMI_DEBUG_COMMANDS") || isOn("TF_LOG") || Number(env["PULUMI_LOGLEVEL"]) >= 9) {
    found.push(
      warning(
        name,
        "the engine's debug output is on, and it shows secrets of the stack's config. Keep such a log to yourself.",
      ),
    );
  }
  try {
    apiSettings(env);
  } catch (error) {
    if (!(error instanceof PageGuardError)) throw error;
    found.push(stops(name, forTerminal(error.message, 400)));
  }
  return found.length > 0 ? found : [fine(name, "none that is dangerous")];
}
