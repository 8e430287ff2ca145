const known = [
  "execute",
  "skip",
  "block",
  "challenge",
  "js_challenge",
  "managed_challenge",
  "log",
  "compress_response",
  "ddos_dynamic",
  "force_connection_close",
  "log_custom_field",
  "redirect",
  "rewrite",
  "route",
  "score",
  "serve_error",
  "set_cache_settings",
  "set_config",
] as const;

/** What the public rulesets API knows, the two that managed rules mostly have first. */
export const actions: readonly string[] = known;

/** An action that the rulesets API knows. */
export type WafRuleAction = (typeof known)[number];
