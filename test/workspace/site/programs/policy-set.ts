import { CspPolicySet } from "pulumi-page-guard";

new CspPolicySet("policies", {
  zoneId: "8f14e45fceea167a5a36dedd4bea2543",
  policies: {
    checkout: {
      description: "Checkout",
      action: "log",
      expression: 'http.host eq "shop.example.com"',
      directives: { "script-src": ["'self'", "https://js.payments.example"], "object-src": ["'none'"] },
    },
    blog: {
      description: "Blog",
      action: "log",
      expression: 'http.host eq "blog.example.com"',
      directives: { "script-src": ["'self'"], "object-src": ["'none'"] },
    },
  },
});
