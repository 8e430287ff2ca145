/** Prints what loading the package costs in this process, and which heavy modules come with it. */
"use strict";

const heavy = ["undici", "zod", "csp_evaluator", "content-security-policy-parser"];
const loaded = () =>
  heavy.filter((name) => Object.keys(require.cache).some((path) => path.includes(`node_modules/${name}/`)));
const timed = (work) => {
  const started = performance.now();
  work();
  return performance.now() - started;
};

const sdkMs = timed(() => require("@pulumi/pulumi"));
const packageMs = timed(() => require("pulumi-page-guard"));
const loadedByRequire = loaded();

const pulumi = require("@pulumi/pulumi");
pulumi.runtime.setMocks({ newResource: ({ inputs }) => ({ id: "id", state: inputs }), call: () => ({}) });
const { CspPolicy } = require("pulumi-page-guard");
const declare = (index) =>
  new CspPolicy(`policy-${index}`, {
    zoneId: "0123456789abcdef0123456789abcdef",
    description: `Scripts of shop ${index}`,
    action: "log",
    expression: `http.host eq "shop-${index}.example.com"`,
    value: "script-src 'self'; object-src 'none'",
  });
const firstResourceMs = timed(() => declare(0));
const loadedByResource = loaded();
const further = 300;
const nextResourceMs =
  timed(() => {
    for (let index = 1; index <= further; index += 1) declare(index);
  }) / further;

process.stdout.write(
  JSON.stringify({ sdkMs, packageMs, firstResourceMs, nextResourceMs, loadedByRequire, loadedByResource }),
);
