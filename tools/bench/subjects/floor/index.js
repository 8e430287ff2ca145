/** What the engine itself costs: resources whose provider does nothing, with the same short handler text as ours. */

const pulumi = require("@pulumi/pulumi");
const { policies } = require("../policies");

class Nothing extends pulumi.CustomResource {
  constructor(name, args) {
    const __provider = 'exports.handler=()=>require(process.cwd()+"/provider.js").Nothing';
    super("pulumi-nodejs:dynamic/page-guard-bench:Nothing", name, { ...args, __provider });
  }
}

for (const { name, args } of policies) new Nothing(name, args);
