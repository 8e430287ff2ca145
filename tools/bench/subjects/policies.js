/** The policies that every subject declares: as many as `BENCH_N` says, all in the zone of `BENCH_ZONE`. */

const zoneId = process.env.BENCH_ZONE;

exports.policies = Array.from({ length: Number(process.env.BENCH_N) }, (_, index) => ({
  name: `policy-${index}`,
  args: {
    zoneId,
    description: `Scripts of shop ${index}`,
    action: "log",
    expression: `http.host eq "shop-${index}.example.com"`,
    value: `script-src 'self' https://cdn-${index}.example.net; object-src 'none'`,
  },
}));
