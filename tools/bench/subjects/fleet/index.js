/** A fleet of zones, each with three resources. */

const pageGuard = require("pulumi-page-guard");
const { declared } = require("../fleet-zones");

for (const { kind, name, args } of declared) new pageGuard[kind](name, args);
