/** Actions of the public rulesets API; the two most common actions for managed rules come first. */
export const knownActions = [
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

/** Actions that can stop a request, at once or until a visitor passes a challenge. */
export const stoppingActions: ReadonlySet<unknown> = new Set([
  "block",
  "challenge",
  "js_challenge",
  "managed_challenge",
  "force_connection_close",
  "serve_error",
  "ddos_dynamic",
  "score",
]);
