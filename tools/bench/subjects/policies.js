/** The policies that every subject declares: as many as `BENCH_N` says, all in the zone of `BENCH_ZONE`. */

exports.policiesOf = (count, zoneId) =>
  Array.from({ length: count }, (_, index) => ({
    name: `policy-${index}`,
    args: {
      zoneId,
      description: `Scripts of shop ${index}`,
      action: "log",
      expression: `http.host eq "shop-${index}.example.com"`,
      value: `script-src 'self' https://cdn-${index}.example.net; object-src 'none'`,
    },
  }));

exports.policies = exports.policiesOf(Number(process.env.BENCH_N), process.env.BENCH_ZONE);
