/**
 * All policies of the zone as one resource whose provider does nothing: what the engine and the SDK take for so many
 * inputs, whoever makes the resource.
 */

const pulumi = require("@pulumi/pulumi");
const { policies } = require("../policies");

class Nothing extends pulumi.CustomResource {
  constructor(name, args) {
    const __provider = 'exports.handler=()=>require(process.cwd()+"/provider.js").Nothing';
    super("pulumi-nodejs:dynamic/page-guard-bench:Nothing", name, { ...args, __provider });
  }
}

const entries = policies.map(({ name, args: { zoneId: _, ...policy } }) => [name, policy]);
new Nothing("same", {
  description: "same",
  zoneId: process.env.BENCH_ZONE,
  policies: Object.fromEntries(entries),
});
