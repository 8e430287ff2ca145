/** All policies of a zone, and no others: what somebody adds in the dashboard is named and goes. */

const pulumi = require("@pulumi/pulumi");
const { CspPolicySet } = require("pulumi-page-guard");

new CspPolicySet("policies", {
  zoneId: new pulumi.Config().require("zoneId"),
  policies: {
    blog: {
      description: "Blog, by the web team",
      action: "log",
      expression: 'http.host eq "blog.example.com"',
      value: "script-src 'self'",
    },
  },
  others: "delete",
});
