/** The pull request in the picture. It has one example of each kind of change that a reviewer must not miss. */

const shopZone = "1123456789abcdef0123456789abcdef";
const blogZone = "2123456789abcdef0123456789abcdef";

const seen = {
  host: "shop.example.com",
  first_page_url: "https://shop.example.com/checkout",
  status: "active",
  last_seen_at: "2024-01-13T10:00:00Z",
  js_integrity_score: 95,
};

/** Zones of the shop: scripts that a policy would block, and a rule that no resource declares. */
export const zones = {
  [shopZone]: {
    plan: "enterprise",
    connections: 0,
    cookies: 0,
    scripts: [
      { ...seen, url: "https://js.payments.example/pay.js" },
      { ...seen, url: "https://tags.statistics.example/t.js" },
      { ...seen, url: "https://skimmer.example/x.js", js_integrity_score: 3, malware_score: 1 },
    ],
    entrypoint: {
      rules: [
        {
          description: "Uptime checks",
          action: "skip",
          action_parameters: { ruleset: "current" },
          expression: "ip.src eq 192.0.2.9",
        },
      ],
    },
  },
  [blogZone]: {
    plan: "pro",
    scripts: 0,
    connections: 0,
    cookies: 0,
    waf: { firewallRules: 1, owasp: false },
  },
};

/** Returns the program `before` or `after` the pull request. */
export function shop(when) {
  const isAfter = when === "after";
  return `const { CspPolicy, ManagedWafEntrypoint, PageGuardSettings, WafMigration } = require("pulumi-page-guard");

const shop = "${shopZone}";
const blog = "${blogZone}";

new PageGuardSettings("monitor", { zoneId: shop, enabled: true });
new CspPolicy("checkout", {
  zoneId: shop,
  description: "Scripts of the checkout",
  action: "${isAfter ? "allow" : "log"}",
  expression: 'http.host eq "shop.example.com"',
  directives: { "script-src": ["'self'", "https://js.payments.example"], "object-src": ["'none'"] },
});
${
  isAfter
    ? `new ManagedWafEntrypoint("waf", {
  zoneId: shop,
  foreignRules: "overwrite",
  rules: [{ description: "Managed rules", action: "execute", expression: "true", actionParameters: { id: "efb7b8c949ac4650a09736fc376e9aee" } }],
});
new WafMigration("new-waf", { zoneId: blog, confirm: blog, stage: "finished" });`
    : ""
}
`;
}
