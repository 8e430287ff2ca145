/**
 * The same resources as ours, with a provider that only waits where ours waits for an answer: what the engine and the SDK
 * take for such inputs, outputs and ids, and for changes under way, whoever makes them.
 */

const pulumi = require("@pulumi/pulumi");
const { policies } = require("../policies");

class Waiting extends pulumi.CustomResource {
  constructor(name, args) {
    const __provider = 'exports.handler=()=>require(process.cwd()+"/provider.js").Waiting';
    super("pulumi-nodejs:dynamic/page-guard-bench:Waiting", name, {
      policyId: undefined,
      loggingSince: undefined,
      impact: undefined,
      ...args,
      __provider,
    });
  }
}

for (const { name, args } of policies) new Waiting(name, args);
