const { randomBytes } = require("node:crypto");
const { setTimeout: wait } = require("node:timers/promises");
const { Nothing } = require("../floor/provider.js");

const latencyMs = Number(process.env.BENCH_LATENCY_MS);
let read;

exports.Waiting = {
  ...Nothing,
  async create(inputs) {
    await wait(latencyMs);
    const policyId = randomBytes(16).toString("hex");
    const outs = { ...inputs, policyId, loggingSince: new Date().toISOString(), schemaVersion: 1 };
    return { id: `${inputs.zoneId}/${policyId}`, outs };
  },
  async read(id, props) {
    // One request for all of a zone.
    read ??= wait(latencyMs);
    await read;
    const { policyId, loggingSince, schemaVersion, ...inputs } = props;
    return { id, props, inputs };
  },
  delete: () => wait(latencyMs),
};
