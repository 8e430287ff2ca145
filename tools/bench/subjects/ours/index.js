/** The package, as a user writes it. */

const { CspPolicy } = require("pulumi-page-guard");
const { policies } = require("../policies");

for (const { name, args } of policies) new CspPolicy(name, args);
