import { CspPolicySet, ManagedWafEntrypoint, PageGuardSettings } from "pulumi-page-guard";

const zoneId = "8f14e45fceea167a5a36dedd4bea2543";

new PageGuardSettings(
  "shop-settings",
  {
    zoneId,
    enabled: true,
    useVendorReportingEndpoint: true,
    useConnectionUrlPath: false,
    onDestroy: "keep",
  },
  { protect: true },
);

new CspPolicySet(
  "shop-policies",
  {
    zoneId,
    policies: {
      "blog-by-the-web-team": {
        description: "Blog, by the web team",
        action: "log",
        expression: 'http.host eq "blog.example.com"',
        directives: {
          "script-src": ["'self'", "'unsafe-inline'"],
          "object-src": ["'none'"],
          "base-uri": ["'none'"],
        },
      },
      checkout: {
        description: "Checkout",
        action: "allow",
        expression: 'http.host eq "shop.example.com" and starts_with(http.request.uri.path, "/checkout")',
        directives: {
          "script-src": ["'self'", "https://js.payments.example"],
          "connect-src": ["'self'", "https://api.payments.example"],
          "object-src": ["'none'"],
          "base-uri": ["'none'"],
        },
      },
    },
    others: "keep",
    onDestroy: "keep",
  },
  { protect: true },
);

new ManagedWafEntrypoint(
  "shop-waf",
  {
    zoneId,
    name: "default",
    rules: [
      {
        action: "skip",
        expression: 'http.request.uri.path eq "/health"',
        description: "Health check",
        ref: "8da931f554ab3cbf52f73aeb0e248842",
        actionParameters: { extra: { ruleset: "current" } },
      },
      {
        action: "execute",
        expression: "true",
        description: "Managed rules",
        ref: "0b12e986378f8bd3af1c12f369486e90",
        actionParameters: {
          id: "efb7b8c949ac4650a09736fc376e9aee",
          overrides: {
            categories: [{ category: "wordpress", enabled: false }],
            rules: [{ id: "5de7edfa648c4d6891dc3e7f84534ffa", action: "log" }],
          },
        },
      },
    ],
    foreignRules: "keep",
    onDestroy: "keep",
  },
  { protect: true },
);
