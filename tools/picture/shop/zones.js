const shop = "1123456789abcdef0123456789abcdef";
const blog = "2123456789abcdef0123456789abcdef";

const seen = {
  host: "shop.example.com",
  first_page_url: "https://shop.example.com/checkout",
  status: "active",
  last_seen_at: "2024-01-13T10:00:00Z",
  js_integrity_score: 95,
};

/** Zones of the shop: scripts that a policy would block, and a rule that no resource declares. */
const zones = {
  [shop]: {
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
  [blog]: {
    plan: "pro",
    scripts: 0,
    connections: 0,
    cookies: 0,
    waf: { firewallRules: 1, owasp: false },
  },
};

module.exports = { shop, blog, zones };
