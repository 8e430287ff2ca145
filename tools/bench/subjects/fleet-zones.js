/** What a fleet declares: `BENCH_N` zones from number `BENCH_FIRST` on, each with settings, a set of three policies and an entry point of four rules. */

const first = Number(process.env.BENCH_FIRST ?? 0);
const edited = process.env.BENCH_EDITED === "1";

exports.declared = Array.from({ length: Number(process.env.BENCH_N) }, (_, place) => {
  const index = first + place;
  const zoneId = (index + 1).toString(16).padStart(32, "0");
  const shop = `shop-${index}.example.com`;
  const policy = (path, host) => ({
    action: "log",
    expression: `http.host eq "${shop}" and starts_with(http.request.uri.path, "${path}")`,
    value: `script-src 'self' https://${host}; object-src 'none'; base-uri 'self'`,
  });
  const policies = {
    checkout: policy("/checkout", edited ? "pay-2.example.net" : "pay.example.net"),
    account: policy("/account", "id.example.net"),
    blog: policy("/blog", "static.example.net"),
  };
  const rules = ["1", "2", "3", "4"].map((digit) => ({
    action: "execute",
    expression: `http.host eq "${shop}"`,
    description: `managed ${digit}`,
    actionParameters: { id: digit.repeat(32) },
  }));
  return [
    { kind: "PageGuardSettings", name: `settings-${index}`, args: { zoneId, enabled: true } },
    { kind: "CspPolicySet", name: `policies-${index}`, args: { zoneId, policies } },
    { kind: "ManagedWafEntrypoint", name: `waf-${index}`, args: { zoneId, rules } },
  ];
}).flat();
