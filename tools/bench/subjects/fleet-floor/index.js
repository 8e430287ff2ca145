/** The resources of a fleet with a provider that does nothing: what the engine and its backend take for so many. */

const pulumi = require("@pulumi/pulumi");
const { declared } = require("../fleet-zones");

class Nothing extends pulumi.CustomResource {
  constructor(name, args) {
    const __provider = 'exports.handler=()=>require(process.cwd()+"/provider.js").Nothing';
    super("pulumi-nodejs:dynamic/page-guard-bench:Nothing", name, { ...args, __provider });
  }
}

for (const { name, args } of declared) new Nothing(name, { ...args, description: name });
