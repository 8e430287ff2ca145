import * as pulumi from "@pulumi/pulumi";
import { type CspAction, CspPolicy, PageGuardSettings } from "pulumi-page-guard";

const config = new pulumi.Config();
const zoneId = config.require("zoneId");
const scripts = config.getObject<string[]>("scripts") ?? ["https://js.payments.example"];

new PageGuardSettings("monitor", { zoneId, enabled: true });

export const { policyId } = new CspPolicy("checkout", {
  zoneId,
  description: "Scripts of the checkout",
  action: config.get<CspAction>("action") ?? "log",
  expression: 'http.host eq "shop.example.com"',
  directives: { "script-src": ["'self'", ...scripts], "object-src": ["'none'"] },
});
