/**
 * The Node.js language host for machines that cannot download the official bundle. It serves the engine's LanguageRuntime
 * service and starts the SDK's program runner. The engine starts the host as a process or, as in the tests, uses one that is
 * already running (`PULUMI_DEBUG_LANGUAGES`), which saves two starts of Node in each run. Never shipped.
 */
"use strict";
const { spawn } = require("node:child_process");
const { createRequire } = require("node:module");
const path = require("node:path");
// The SDK's own copies of its libraries, wherever npm has put them.
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const grpc = sdk("@grpc/grpc-js");
const engineMessages = require("@pulumi/pulumi/proto/engine_pb.js");
const { EngineClient } = require("@pulumi/pulumi/proto/engine_grpc_pb.js");
const language = require("@pulumi/pulumi/proto/language_pb.js");
const { LanguageRuntimeService } = require("@pulumi/pulumi/proto/language_grpc_pb.js");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb.js");

/** Exit code of the runner if it has shown the errors already. */
const alreadyShown = 32;

function run({ env: ownEnv, engineOf, isAttached }, call, callback) {
  const request = call.request;
  const engineAddress = engineOf(call);
  const info = request.getInfo();
  const folder = info.getProgramDirectory();
  const options = info.getOptions()?.toJavaScript() ?? {};
  const response = new language.RunResponse();
  const program = runner(folder, "run");
  if (!program) {
    const advice = `Run \`npm install\` there, then run this command again.`;
    return callback(null, response.setError(`There is no @pulumi/pulumi for the program in ${folder}. ${advice}`));
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
    `--root-directory=${info.getRootDirectory()}`,
    ...(request.getDryrun() ? ["--dry-run"] : []),
    `--parallel=${request.getParallel()}`,
    info.getEntryPoint(),
    ...request.getArgsList(),
  ];
  const env = {
    ...ownEnv,
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().entries())),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    PULUMI_NODEJS_TYPESCRIPT: String(options.typescript !== false),
  };
  const stdio = ["ignore", ...(isAttached ? ["pipe", "pipe"] : ["inherit", "inherit"])];
  const child = spawn(process.execPath, args, { cwd: request.getPwd(), env, stdio });
  const told = isAttached ? tellEngine(engineAddress, [child.stdout, child.stderr]) : undefined;
  call.on("cancelled", () => child.kill("SIGKILL"));
  child.on("error", (error) => callback(error));
  child.on("close", async (code, signal) => {
    await told?.();
    if (code === alreadyShown) response.setBail(true);
    else if (code !== 0) response.setError(`Program exited with ${signal ? `signal ${signal}` : `non-zero exit code: ${code}`}`);
    callback(null, response);
  });
}

/** Sends output to the engine, which does not show the output of a host that it did not start itself. */
function tellEngine(address, streams) {
  const engine = new EngineClient(address, grpc.credentials.createInsecure());
  const underWay = [];
  for (const stream of streams) {
    stream.on("data", (chunk) => {
      const request = new engineMessages.LogRequest().setMessage(String(chunk)).setStreamid(1);
      request.setSeverity(engineMessages.LogSeverity.INFO);
      // Ignore errors: an engine that has ended shows nothing.
      underWay.push(new Promise((done) => engine.log(request, () => done())));
    });
  }
  return async () => {
    await Promise.all(underWay);
    engine.close();
  };
}

function runPlugin({ env: ownEnv }, call) {
  const request = call.request;
  const folder = request.getInfo().getProgramDirectory();
  // A provider expects the engine's address as the first argument; a policy pack expects its own folder as the last.
  const args =
    request.getKind() === "resource"
      ? [runner(folder, "run-plugin"), folder, ...request.getArgsList()]
      : [runner(folder, "run-policy-pack"), ...request.getArgsList(), folder];
  const env = Object.fromEntries(request.getEnvList().map((entry) => entry.split(/=(.*)/s).slice(0, 2)));
  const child = spawn(process.execPath, args, { cwd: request.getPwd(), env: { ...ownEnv, ...env } });
  child.stdout.on("data", (chunk) => call.write(new language.RunPluginResponse().setStdout(chunk)));
  child.stderr.on("data", (chunk) => call.write(new language.RunPluginResponse().setStderr(chunk)));
  call.on("cancelled", () => child.kill("SIGKILL"));
  child.on("close", (code) => {
    call.write(new language.RunPluginResponse().setExitcode(code ?? 1));
    call.end();
  });
}

/** Returns the runner of the SDK that the program itself uses, like the official host; undefined if the program has no SDK. */
function runner(folder, name) {
  try {
    return createRequire(path.join(folder, "package.json")).resolve(`@pulumi/pulumi/cmd/${name}`);
  } catch {
    return undefined;
  }
}

/**
 * Serves on a free port until `close()`. Starts programs with `env`. Without `engineAddress`, each engine that attaches
 * itself gives its own address.
 */
function serveLanguage({ env, engineAddress }) {
  const attached = new Map();
  const engineOf = (call) => engineAddress ?? attached.get(call.getPeer());
  const surroundings = { env, engineOf, isAttached: engineAddress === undefined };
  const server = new grpc.Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  server.addService(LanguageRuntimeService, {
    handshake: (call, callback) => {
      attached.set(call.getPeer(), call.request.getEngineAddress());
      callback(null, new language.LanguageHandshakeResponse());
    },
    getPluginInfo: (_call, callback) => callback(null, new PluginInfo()),
    getRequiredPackages: (_call, callback) => callback(null, new language.GetRequiredPackagesResponse()),
    // Programs that run here have their node_modules already.
    installDependencies: (call) => call.end(),
    run: (call, callback) => run(surroundings, call, callback),
    runPlugin: (call) => runPlugin(surroundings, call),
  });
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(error);
      else resolve({ port, close: () => server.forceShutdown() });
    });
  });
}

module.exports = { serveLanguage };

if (require.main === module) {
  const engineAddress = process.argv.filter((argument) => !argument.startsWith("-")).at(-1) ?? "";
  serveLanguage({ env: process.env, engineAddress }).then(({ port }) => process.stdout.write(`${port}\n`));
}
