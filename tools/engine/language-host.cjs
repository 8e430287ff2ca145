/**
 * The Node.js language host for machines where the official bundle is out of reach: it answers the engine's
 * LanguageRuntime service and starts the SDK's own program runner. Programs talk to the engine directly, so resource
 * hooks and policy packs work. A tool of this repository, never shipped.
 */
"use strict";
const { spawn } = require("node:child_process");
const { createRequire } = require("node:module");
const path = require("node:path");
// The SDK's own copies of its libraries, wherever npm has put them.
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const grpc = sdk("@grpc/grpc-js");
const { Empty } = sdk("google-protobuf/google/protobuf/empty_pb.js");
const language = require("@pulumi/pulumi/proto/language_pb.js");
const plugin = require("@pulumi/pulumi/proto/plugin_pb.js");
const { LanguageRuntimeService } = require("@pulumi/pulumi/proto/language_grpc_pb.js");

/** Exit code by which the runner says: the errors have been shown already. */
const alreadyShown = 32;
const engineAddress = process.argv.filter((argument) => !argument.startsWith("-")).at(-1) ?? "";

const answer = (make) => (_call, callback) => callback(null, make());

function run(call, callback) {
  const request = call.request;
  const info = request.getInfo();
  const folder = info?.getProgramDirectory() || request.getPwd();
  const options = info?.getOptions()?.toJavaScript() ?? {};
  const response = new language.RunResponse();
  const program = runner(folder, "run");
  if (!program) {
    response.setError(`There is no @pulumi/pulumi for the program in ${folder}. Run \`npm install\` there, then run this command again.`);
    return callback(null, response);
  }
  const args = [
    ...(options.nodeargs ? String(options.nodeargs).split(" ").filter(Boolean) : []),
    program,
    `--monitor=${request.getMonitorAddress()}`,
    `--engine=${engineAddress}`,
    `--project=${request.getProject()}`,
    `--stack=${request.getStack()}`,
    `--organization=${request.getOrganization()}`,
    `--pwd=${request.getPwd()}`,
    `--root-directory=${info?.getRootDirectory() ?? ""}`,
    ...(request.getDryrun() ? ["--dry-run"] : []),
    `--parallel=${request.getParallel()}`,
    info?.getEntryPoint() || request.getProgram() || ".",
    ...request.getArgsList(),
  ];
  const env = {
    ...process.env,
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().entries())),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    PULUMI_NODEJS_TYPESCRIPT: String(options.typescript !== false),
  };
  const child = spawn(process.execPath, args, { cwd: request.getPwd(), env, stdio: ["ignore", "inherit", "inherit"] });
  call.on("cancelled", () => child.kill("SIGKILL"));
  child.on("error", (error) => callback(error));
  child.on("close", (code, signal) => {
    if (code === alreadyShown) response.setBail(true);
    else if (code !== 0) response.setError(`Program exited with ${signal ? `signal ${signal}` : `non-zero exit code: ${code}`}`);
    callback(null, response);
  });
}

function runPlugin(call) {
  const request = call.request;
  const folder = request.getInfo()?.getProgramDirectory() || request.getPwd();
  const args = [runner(folder, "run-policy-pack"), ...request.getArgsList(), folder];
  const env = Object.fromEntries(request.getEnvList().map((entry) => entry.split(/=(.*)/s).slice(0, 2)));
  const child = spawn(process.execPath, args, { cwd: request.getPwd(), env: { ...process.env, ...env } });
  const send = (set) => {
    const response = new language.RunPluginResponse();
    set(response);
    call.write(response);
  };
  child.stdout.on("data", (chunk) => send((response) => response.setStdout(chunk)));
  child.stderr.on("data", (chunk) => send((response) => response.setStderr(chunk)));
  call.on("cancelled", () => child.kill("SIGKILL"));
  child.on("close", (code) => {
    send((response) => response.setExitcode(code ?? 1));
    call.end();
  });
}

/** The runner of the SDK that the program itself uses, as the official host does. Undefined when it has none. */
function runner(folder, name) {
  try {
    return createRequire(path.join(folder, "package.json")).resolve(`@pulumi/pulumi/cmd/${name}`);
  } catch {
    return undefined;
  }
}

const server = new grpc.Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
server.addService(LanguageRuntimeService, {
  handshake: answer(() => new language.LanguageHandshakeResponse()),
  getRequiredPlugins: answer(() => new language.GetRequiredPluginsResponse()),
  getRequiredPackages: answer(() => new language.GetRequiredPackagesResponse()),
  getPluginInfo: answer(() => new plugin.PluginInfo()),
  about: answer(() => new language.AboutResponse()),
  getProgramDependencies: answer(() => new language.GetProgramDependenciesResponse()),
  runtimeOptionsPrompts: answer(() => new language.RuntimeOptionsResponse()),
  cancel: answer(() => new Empty()),
  run,
  runPlugin,
});
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});
