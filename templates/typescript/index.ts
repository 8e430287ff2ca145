import * as pulumi from "@pulumi/pulumi";
import { CspPolicy, PageGuardSettings } from "pulumi-page-guard";

const zoneId = new pulumi.Config().require("zoneId");

new PageGuardSettings("monitor", { zoneId, enabled: true });

export const { policyId } = new CspPolicy("checkout", {
  zoneId,
  description: "Scripts of the checkout",
  action: "log",
  expression: 'http.host eq "shop.example.com"',
  directives: { "script-src": ["'self'", "https://js.payments.example"], "object-src": ["'none'"] },
});
