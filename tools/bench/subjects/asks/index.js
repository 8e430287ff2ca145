/**
 * The same resources as ours, with a provider that sends the same requests with nothing but Node's own HTTP: what they
 * take on this machine, the simulator's share of its processors included, whoever sends them.
 */

const pulumi = require("@pulumi/pulumi");
const { policies } = require("../policies");

class Asking extends pulumi.CustomResource {
  constructor(name, args) {
    const __provider = 'exports.handler=()=>require(process.cwd()+"/provider.js").Asking';
    super("pulumi-nodejs:dynamic/page-guard-bench:Asking", name, {
      policyId: undefined,
      loggingSince: undefined,
      impact: undefined,
      ...args,
      __provider,
    });
  }
}

for (const { name, args } of policies) new Asking(name, args);
