/** A zone in which others have a rule and a policy, and what a program declares beside them. */
export const skip = {
  action: "skip",
  expression: "true",
  actionParameters: { extra: { ruleset: "current" } },
};
export const text = {
  action: "log",
  expression: 'http.host eq "shop.example.com"',
  value: "script-src 'self'",
};
export const zone = {
  settings: { enabled: true, use_connection_url_path: true },
  entrypoint: {
    name: "n",
    rules: [
      {
        action: "skip",
        expression: "true",
        description: "theirs",
        action_parameters: { ruleset: "current" },
      },
    ],
  },
  policies: [{ ...text, description: "checkout" }],
  scripts: 0,
  connections: 0,
  cookies: 0,
};
