const list = (count, one) => Array.from({ length: count }, (_, index) => one(index));

/** `count` policies, by their keys. */
exports.policiesOf = (count) =>
  Object.fromEntries(
    list(count, (index) => [
      `policy-${index}`,
      {
        description: `Scripts of shop ${index}`,
        action: "log",
        expression: `http.host eq "shop-${index}.example.com"`,
        value: `script-src 'self' https://cdn-${index}.example.net; object-src 'none'`,
      },
    ]),
  );

exports.zoneOf = (index) => (index + 1).toString(16).padStart(32, "0");

/** `count` zones, each with settings, a set of three policies and an entry point of four rules. */
exports.zonesOf = (count) =>
  list(count, (index) => {
    const zoneId = exports.zoneOf(index);
    const shop = `http.host eq "shop-${index}.example.com"`;
    const policy = (path, host) => ({
      action: "log",
      expression: `${shop} and starts_with(http.request.uri.path, "${path}")`,
      value: `script-src 'self' https://${host}; object-src 'none'; base-uri 'self'`,
    });
    const pay = process.env.BENCH_EDITED === "1" ? "pay-2.example.net" : "pay.example.net";
    const policies = {
      checkout: policy("/checkout", pay),
      account: policy("/account", "id.example.net"),
      blog: policy("/blog", "static.example.net"),
    };
    const rules = list(4, (rule) => ({
      action: "execute",
      expression: shop,
      description: `managed ${rule + 1}`,
      actionParameters: { id: String(rule + 1).repeat(32) },
    }));
    return [
      { kind: "PageGuardSettings", name: `settings-${index}`, args: { zoneId, enabled: true } },
      { kind: "CspPolicySet", name: `policies-${index}`, args: { zoneId, policies } },
      { kind: "ManagedWafEntrypoint", name: `waf-${index}`, args: { zoneId, rules } },
    ];
  }).flat();
