/** What a plugin itself costs: a provider on the SDK's server, of which every method answers at once. */

const { main } = require("@pulumi/pulumi/provider/server");

const names = ["zoneId", "description", "action", "expression", "value"];
const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
const resources = { "idle:index:Nothing": { inputProperties: properties, properties } };

main(
  {
    version: "0.0.1",
    schema: JSON.stringify({ name: "idle", version: "0.0.1", resources }),
    check: async (_urn, _olds, inputs) => ({ inputs, failures: [] }),
    diff: async () => ({ changes: false }),
    create: async (_urn, inputs) => ({ id: inputs.description, outs: inputs }),
    read: async (id, _urn, props) => ({ id, props, inputs: props }),
    update: async (_id, _urn, _olds, news) => ({ outs: news }),
    delete: async () => {},
  },
  process.argv.slice(2),
);
