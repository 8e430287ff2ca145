/** What the engine costs for one resource whose provider does nothing. */

const pulumi = require("@pulumi/pulumi");

class Nothing extends pulumi.CustomResource {
  constructor(name, args) {
    const __provider = 'exports.handler=()=>require(process.cwd()+"/provider.js").Nothing';
    super("pulumi-nodejs:dynamic/page-guard-bench:Nothing", name, { ...args, __provider });
  }
}

new Nothing("one", { description: "one" });
