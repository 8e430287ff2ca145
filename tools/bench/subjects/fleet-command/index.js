/** One zone of a fleet: the stack `s7` declares the zone number 7. */

const pulumi = require("@pulumi/pulumi");
const pageGuard = require("pulumi-page-guard");

process.env.BENCH_N = "1";
process.env.BENCH_FIRST = pulumi.getStack().slice(1);
const { declared } = require("../fleet-zones");

for (const { kind, name, args } of declared) new pageGuard[kind](name, args);
