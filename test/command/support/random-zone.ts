import type { Simulator, ZonePolicy, ZoneRule, ZoneSeed } from "../../../simulator/src";

/** Returns a generator of numbers from 0 up to 1 that depends only on the seed. */
function seeded(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const descriptions = [
  "Checkout",
  "checkout",
  "Checkout ",
  "Kasse für Größen",
  "決済ページ",
  "",
  "   ",
  "settings",
  "waf",
  "__proto__",
  "constructor",
  'quotes " and \\ and `ticks` and $`{process.exit(1)}',
  "line one\nline two\r\nthree",
  "*/ new Error() /*",
  "// nothing",
  "right \u202e to left \u2066 x",
  "a\u0000b\u001b[31mred",
  "zero\u200bwidth\ufeff",
  "\u2028separator\u2029",
  "::stop-commands::x ##[error]y",
  "=HYPERLINK(1)",
  "<img src=x onerror=alert(1)>",
  "emoji 👩‍👩‍👧 family",
  "long ".repeat(60),
];

const expressions = [
  "true",
  'http.host eq "shop.example.com"',
  'http.host in {"shop.example.com" "www.example.com"}',
  'http.host eq "blog.example.com" and not starts_with(http.request.uri.path, "/private")',
  'http.host eq\n"shop.example.com"',
  '(http.host contains "exämple") or (http.request.uri.path matches "^/(a|b)\\\\d+$")',
  'http.host   eq   "shop.example.com"',
];

const values = [
  "script-src 'self'",
  "script-src 'self' https://js.example.com; object-src 'none'",
  "Script-Src 'self'; IMG-SRC *",
  "script-src 'self'; script-src 'none'",
  "script-src 'self', default-src 'none'",
  "script-src 'self' https://exämple.com",
  "script-src 'self' 'self' https://JS.example.com/Path",
  "default-src",
  "upgrade-insecure-requests",
  ";;  ; script-src\t'self' ;",
  "unknown-directive x; script-src 'unsafe-inline' 'unsafe-eval' *",
  "__proto__ x; script-src 'self'",
  "",
];

const ids = ["11111111111111111111111111111111", "22222222222222222222222222222222"];

/** Returns a zone that somebody may have set up by hand: with duplicates, odd texts, and rules with all possible fields. */
export function randomZone(seed: number, policyCount?: number): ZoneSeed {
  const random = seeded(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const chance = (probability: number): boolean => random() < probability;
  const count = policyCount ?? Math.floor(random() * 12);
  const policies: Partial<ZonePolicy>[] = [];
  for (let index = 0; index < count; index += 1) {
    const twin = policies.at(-1);
    if (twin && chance(0.15)) {
      policies.push({ ...twin });
      continue;
    }
    policies.push({
      description: pick(descriptions),
      action: pick(["log", "log", "allow", "allow", "allow", "something_new"]),
      expression: pick(expressions),
      enabled: chance(0.8),
      value: pick(values),
    });
  }
  const overrides = () => ({
    ...(chance(0.4) && { action: pick(["log", "block", "managed_challenge"]) }),
    ...(chance(0.4) && { enabled: chance(0.5) }),
    ...(chance(0.3) && { sensitivity_level: pick(["low", "medium", "default"]) }),
    ...(chance(0.5) && { categories: [{ category: pick(["wordpress", "php"]), enabled: false }] }),
    rules: [
      { id: pick(ids), action: "log", enabled: true },
      ...(chance(0.3) ? [{ id: "3".repeat(32), score_threshold: 40 }] : []),
    ],
  });
  const rules = Array.from({ length: Math.floor(random() * 5) }, (_, index) => {
    const shared = {
      expression: pick(expressions),
      enabled: chance(0.8),
      ...(chance(0.7) && { description: pick(descriptions) }),
      ...(chance(0.3) && { ref: `named-${index}` }),
      ...(chance(0.3) && { logging: { enabled: true } }),
    };
    return chance(0.5)
      ? {
          ...shared,
          action: "execute",
          action_parameters: { id: pick(ids), ...(chance(0.6) && { overrides: overrides() }) },
        }
      : { ...shared, action: "skip", action_parameters: { ruleset: "current" } };
  });
  const stage = pick(["new", "new", "validation"] as const);
  return {
    policyQuota: 1000,
    settings: { enabled: chance(0.5), use_connection_url_path: chance(0.5) },
    policies,
    ...(chance(0.8) && { entrypoint: { name: pick(["default", "", "our zone \u202e"]), rules } }),
    ...(stage === "validation" && { waf: { stage } }),
    scripts: 12,
    connections: 3,
    cookies: 0,
  };
}

/** Adds fields of a newer service that this version does not know. */
export function addUnknownFields(sim: Simulator, zoneId: string): void {
  sim.edit(zoneId, (zone) => {
    for (const rule of zone.entrypoint?.rules ?? []) {
      const parameters: ZoneRule["action_parameters"] = rule.action_parameters ?? {};
      if (rule.action === "execute") {
        rule.action_parameters = {
          ...parameters,
          matched_data: { public_key: "a b" },
          later: [1, null, { two: null }],
        };
      }
    }
  });
}
