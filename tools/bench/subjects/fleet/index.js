/** `BENCH_N` zones from number `BENCH_FIRST` on, each with settings, a set of three policies and an entry point of four rules. */

const { CspPolicySet, ManagedWafEntrypoint, PageGuardSettings } = require("pulumi-page-guard");

const first = Number(process.env.BENCH_FIRST ?? 0);
const edited = process.env.BENCH_EDITED === "1";

for (let index = first; index < first + Number(process.env.BENCH_N); index += 1) {
  const zoneId = (index + 1).toString(16).padStart(32, "0");
  const shop = `shop-${index}.example.com`;
  const policy = (path, host) => ({
    action: "log",
    expression: `http.host eq "${shop}" and starts_with(http.request.uri.path, "${path}")`,
    value: `script-src 'self' https://${host}; object-src 'none'; base-uri 'self'`,
  });
  new PageGuardSettings(`settings-${index}`, { zoneId, enabled: true });
  new CspPolicySet(`policies-${index}`, {
    zoneId,
    policies: {
      checkout: policy("/checkout", edited ? "pay-2.example.net" : "pay.example.net"),
      account: policy("/account", "id.example.net"),
      blog: policy("/blog", "static.example.net"),
    },
  });
  new ManagedWafEntrypoint(`waf-${index}`, {
    zoneId,
    rules: ["1", "2", "3", "4"].map((digit) => ({
      action: "execute",
      expression: `http.host eq "${shop}"`,
      description: `managed ${digit}`,
      actionParameters: { id: digit.repeat(32) },
    })),
  });
}
