import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { type CspAction, CspPolicySet } from "pulumi-page-guard";

const config = new pulumi.Config();

/** Written by `page-guard suggest`, then reviewed and committed, so that scripts seen later do not change a preview. */
const seen: Record<string, string[]> = JSON.parse(readFileSync(join(__dirname, "seen.json"), "utf8"));

const policies = new CspPolicySet("policies", {
  zoneId: config.require("zoneId"),
  policies: {
    checkout: {
      description: "Checkout: what may run and where it may send data",
      expression: 'http.host eq "shop.example.com"',
      directives: seen,
      action: config.require<CspAction>("action"),
    },
  },
  // The preview refuses "allow" until the policy has been in "log" for a week.
  minimumLogDays: 7,
});

export const { policyIds, loggingSince } = policies;
