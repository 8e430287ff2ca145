/** The pull request in the picture. It has one example of each kind of change that a reviewer must not miss. */
const { Config } = require("@pulumi/pulumi");
const { CspPolicy, ManagedWafEntrypoint, PageGuardSettings, WafMigration } = require("pulumi-page-guard");

const { shop, blog } = require("./zones");

const isAfter = new Config().getBoolean("isAfter");

new PageGuardSettings("monitor", { zoneId: shop, enabled: true });
new CspPolicy("checkout", {
  zoneId: shop,
  description: "Scripts of the checkout",
  action: isAfter ? "allow" : "log",
  expression: 'http.host eq "shop.example.com"',
  directives: { "script-src": ["'self'", "https://js.payments.example"], "object-src": ["'none'"] },
});
if (isAfter) {
  const actionParameters = { id: "efb7b8c949ac4650a09736fc376e9aee" };
  new ManagedWafEntrypoint("waf", {
    zoneId: shop,
    foreignRules: "overwrite",
    rules: [{ description: "Managed rules", action: "execute", expression: "true", actionParameters }],
  });
  new WafMigration("new-waf", { zoneId: blog, confirm: blog, stage: "finished" });
}
