/**
 * Preloaded into the processes that the engine starts in stories. The SDK loads TypeScript, npm's Arborist, its
 * Automation API and what exports traces at once: more than half of what it costs to start a program or a provider, and
 * few stories need any of it. Here each is loaded at its first use: the same code, later or never. Left out is only what
 * turns the SDK's own stack frames into lines of its TypeScript.
 *
 * The SDK also connects each process with V8's debugger, to know the files of functions that it may have to serialize,
 * and that slows all that is loaded afterwards. Here it connects when it serializes the first one.
 */
"use strict";
const Module = require("node:module");

const lazy = new Set([
  "typescript",
  "@npmcli/arborist",
  "normalize-package-data",
  "./automation",
  "fdir",
  "ini",
  "js-yaml",
  "semver",
  "upath",
  "@opentelemetry/exporter-zipkin",
  "@opentelemetry/instrumentation",
  "@opentelemetry/instrumentation-grpc",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-trace-base",
  "@opentelemetry/sdk-trace-node",
]);
const leftOut = "source-map-support/register";
const debuggerHooks = "../../runtime/closure/v8Hooks";
const inSdk = /[\\/]@pulumi[\\/]pulumi[\\/](?!.*[\\/]node_modules[\\/])/;

const load = Module._load;
Module._load = function (request, parent, isMain) {
  const by = parent?.filename ?? "";
  const isOfSdk = inSdk.test(by);
  if (isOfSdk && request === leftOut) return {};
  if (isOfSdk && request === debuggerHooks) return { isInitializedAsync: async () => {} };
  if (!isOfSdk || !lazy.has(request)) return load.call(this, request, parent, isMain);
  const real = () => load.call(this, request, parent, isMain);
  // Callable, as one of them is. It says that it is a module already, so that nobody copies what is in it.
  return new Proxy(() => {}, {
    get: (_, key) => (key === "__esModule" ? true : real()[key]),
    has: (_, key) => key in real(),
    apply: (_, self, args) => Reflect.apply(real(), self, args),
  });
};
