import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { type CspAction, CspPolicySet } from "pulumi-page-guard";

const config = new pulumi.Config();

/** Written by `page-guard suggest`, then read by a person and committed: what is seen later changes no preview. */
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
  // Before a week in "log" the preview refuses "allow".
  minimumLogDays: 7,
});

export const { policyIds, loggingSince } = policies;
