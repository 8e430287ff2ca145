/** Preload it with `node -r`: then Pulumi's SDK is the one that is installed in the folder of PAGE_GUARD_TEST_SDK. */
"use strict";
const Module = require("node:module");

const usual = Module._resolveFilename;
const paths = [process.env.PAGE_GUARD_TEST_SDK];

Module._resolveFilename = function (request, parent, isMain, options) {
  const isSdk = /^@pulumi\/pulumi(\/|$)/.test(request);
  return usual.call(this, request, parent, isMain, isSdk ? { paths } : options);
};
