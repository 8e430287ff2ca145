/**
 * Preloaded into the processes that the engine starts in stories. The SDK loads TypeScript, npm's Arborist, its
 * Automation API and what exports traces at once, which is more than half of what it costs to start a program or a
 * provider; nothing that a story does needs them. Here they are loaded when something of them is touched: the same code,
 * later or never. Left out is only what turns the SDK's own stack frames into lines of its TypeScript.
 */
"use strict";
const Module = require("node:module");

const lazy = new Set([
  "typescript",
  "@npmcli/arborist",
  "normalize-package-data",
  "./automation",
  "@opentelemetry/exporter-zipkin",
  "@opentelemetry/instrumentation",
  "@opentelemetry/instrumentation-grpc",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-trace-base",
  "@opentelemetry/sdk-trace-node",
]);
const leftOut = "source-map-support/register";
const inSdk = /[\\/]@pulumi[\\/]pulumi[\\/](?!.*[\\/]node_modules[\\/])/;

const load = Module._load;
Module._load = function (request, parent, isMain) {
  const isOfSdk = inSdk.test(parent?.filename ?? "");
  if (isOfSdk && request === leftOut) return {};
  if (!isOfSdk || !lazy.has(request)) return load.call(this, request, parent, isMain);
  const real = () => load.call(this, request, parent, isMain);
  // Callable, as one of them is. It says that it is a module already, so that nobody copies what is in it.
  return new Proxy(() => {}, {
    get: (_, key) => (key === "__esModule" ? true : real()[key]),
    has: (_, key) => key in real(),
    apply: (_, self, args) => Reflect.apply(real(), self, args),
  });
};
