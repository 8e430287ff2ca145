/** A zone with an unmanaged rule and an unmanaged policy, and the inputs of a program beside them. */
const all = { action: "skip", expression: "true" };
export const skip = { ...all, actionParameters: { extra: { ruleset: "current" } } };
export const text = {
  action: "log",
  expression: 'http.host eq "shop.example.com"',
  value: "script-src 'self'",
};
const theirs = { ...all, description: "theirs", action_parameters: { ruleset: "current" } };
export const zone = {
  settings: { enabled: true, use_connection_url_path: true },
  entrypoint: { name: "n", rules: [theirs] },
  policies: [{ ...text, description: "checkout" }],
  scripts: 0,
  connections: 0,
  cookies: 0,
};
