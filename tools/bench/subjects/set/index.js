/** All policies of the zone as one resource. */

const { CspPolicySet } = require("pulumi-page-guard");
const { policies } = require("../policies");

const entries = policies.map(({ name, args: { zoneId: _, ...policy } }) => [name, policy]);
new CspPolicySet("policies", { zoneId: process.env.BENCH_ZONE, policies: Object.fromEntries(entries) });
