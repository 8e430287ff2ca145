/**
 * Preloaded into the processes that the engine starts in stories. At its start the SDK loads TypeScript, npm's Arborist,
 * its Automation API and the exporters of traces. This takes more than half of the time to start a program or a provider,
 * and few stories need it. Here each is loaded at its first use. Only the library that maps the SDK's stack frames to lines
 * of its TypeScript is left out.
 *
 * The SDK also connects each process to V8's debugger, to know the files of functions that it may have to serialize. That
 * slows down everything that is loaded afterwards. Here it connects when it serializes the first function.
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
  // Callable, because one of the libraries is. `__esModule` prevents that importing code copies its members.
  return new Proxy(() => {}, {
    get: (_, key) => (key === "__esModule" ? true : real()[key]),
    has: (_, key) => key in real(),
    apply: (_, self, args) => Reflect.apply(real(), self, args),
  });
};
