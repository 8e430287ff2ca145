/** All policies of the zone as one resource, in TypeScript as people write it. */

import { CspPolicySet } from "pulumi-page-guard";

const { policiesOf } = require("../policies");

const zoneId = process.env["BENCH_ZONE"] ?? "";
const policies: Record<string, { action: "log"; expression: string; value: string }> = {};
for (const { name, args } of policiesOf(Number(process.env["BENCH_N"]), zoneId)) {
  const { zoneId: _, ...policy } = args;
  policies[name] = policy;
}
new CspPolicySet("policies", { zoneId, policies });
