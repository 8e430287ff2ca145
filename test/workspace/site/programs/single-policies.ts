import { CspPolicy } from "pulumi-page-guard";

const zoneId = "8f14e45fceea167a5a36dedd4bea2543";

new CspPolicy("checkout", {
  zoneId,
  description: "Checkout",
  action: "log",
  expression: 'http.host eq "shop.example.com"',
  directives: { "script-src": ["'self'", "https://js.payments.example"], "object-src": ["'none'"] },
});
new CspPolicy("blog", {
  zoneId,
  description: "Blog",
  action: "log",
  expression: 'http.host eq "blog.example.com"',
  directives: { "script-src": ["'self'"], "object-src": ["'none'"] },
});
