/** The program of every subject on Node: `BENCH_SUBJECT` says what it declares, `BENCH_N` how many, `BENCH_ZONE` where. */
const pulumi = require("@pulumi/pulumi");
const pageGuard = require("pulumi-page-guard");
const { policiesOf, zonesOf } = require("./declared");

/** Resource that costs only the engine's own work: its provider does nothing, and its handler's source is as short as ours. */
class Nothing extends pulumi.CustomResource {
  constructor(name, args) {
    const __provider = 'exports.handler=()=>require(process.cwd()+"/provider.js").Nothing';
    super("pulumi-nodejs:dynamic/page-guard-bench:Nothing", name, { ...args, __provider });
  }
}

const zoneId = process.env.BENCH_ZONE;
const n = Number(process.env.BENCH_N);
const set = () => ({ zoneId, policies: policiesOf(n) });

const subjects = {
  nothing() {
    for (const [name, policy] of Object.entries(policiesOf(n))) new Nothing(name, { zoneId, ...policy });
  },
  ours() {
    for (const [name, policy] of Object.entries(policiesOf(n)))
      new pageGuard.CspPolicy(name, { zoneId, ...policy });
  },
  one: () => new Nothing("one", { description: "one" }),
  same: () => new Nothing("same", { description: "same", ...set() }),
  set: () => new pageGuard.CspPolicySet("policies", set()),
  "fleet-nothing"() {
    for (const { name, args } of zonesOf(n))
      new Nothing(name, { ...args, description: name, text: JSON.stringify(args) });
  },
  fleet() {
    for (const { kind, name, args } of zonesOf(n)) new pageGuard[kind](name, args);
  },
};

subjects[process.env.BENCH_SUBJECT]();
