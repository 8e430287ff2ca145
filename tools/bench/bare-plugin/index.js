/** The cheapest possible plugin: a gRPC server of the provider protocol whose methods all respond at once. */

const { createRequire } = require("node:module");
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const { Server, ServerCredentials } = sdk("@grpc/grpc-js");
const { Empty } = sdk("google-protobuf/google/protobuf/empty_pb");
const messages = sdk("./proto/provider_pb");
const { ResourceProviderService } = sdk("./proto/provider_grpc_pb");

const names = ["zoneId", "description", "action", "expression", "value"];
const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
const schema = JSON.stringify({
  name: "bare",
  version: "0.0.1",
  resources: { "bare:index:Nothing": { inputProperties: properties, properties } },
});

const checked = (request) => new messages.CheckResponse().setInputs(request.getNews());
const unchanged = () => new messages.DiffResponse().setChanges(messages.DiffResponse.DiffChanges.DIFF_NONE);
const answers = {
  getPluginInfo: () => new (sdk("./proto/plugin_pb").PluginInfo)().setVersion("0.0.1"),
  getSchema: () => new messages.GetSchemaResponse().setSchema(schema),
  checkConfig: checked,
  diffConfig: unchanged,
  configure: () => new messages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(false),
  check: checked,
  diff: unchanged,
  create: (request) => new messages.CreateResponse().setId("none").setProperties(request.getProperties()),
  read: (request) =>
    new messages.ReadResponse()
      .setId(request.getId())
      .setProperties(request.getProperties())
      .setInputs(request.getInputs()),
  update: (request) => new messages.UpdateResponse().setProperties(request.getNews()),
  delete: () => new Empty(),
};

const server = new Server();
const methods = Object.entries(answers).map(([name, answer]) => [
  name,
  ({ request }, done) => done(null, answer(request)),
]);
server.addService(ResourceProviderService, Object.fromEntries(methods));
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});
