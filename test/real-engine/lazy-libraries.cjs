/**
 * Preloaded into the processes that the engine starts in stories. The SDK loads TypeScript, npm's Arborist and its
 * Automation API at once, which is more than half of what it costs to start a program or a provider; nothing that a story
 * does needs them. Here they are loaded when something of them is touched: the same code, later or never.
 */
"use strict";
const Module = require("node:module");

const lazy = new Set(["typescript", "@npmcli/arborist", "normalize-package-data", "./automation"]);
const inSdk = /[\\/]@pulumi[\\/]pulumi[\\/](?!.*[\\/]node_modules[\\/])/;

const load = Module._load;
Module._load = function (request, parent, isMain) {
  if (!lazy.has(request) || !inSdk.test(parent?.filename ?? ""))
    return load.call(this, request, parent, isMain);
  const real = () => load.call(this, request, parent, isMain);
  // Callable, as two of them are. It says that it is a module already, so that nobody copies what is in it.
  return new Proxy(() => {}, {
    get: (_, key) => (key === "__esModule" ? true : real()[key]),
    has: (_, key) => key in real(),
    apply: (_, self, args) => Reflect.apply(real(), self, args),
    construct: (_, args) => Reflect.construct(real(), args),
  });
};
