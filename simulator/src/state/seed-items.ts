import { makeHexadecimal, type Random } from "./random";

/** Latest time at which seeded items were seen: 2024-01-15T00:00:00Z. */
const newest = Date.UTC(2024, 0, 15);
const day = 86_400_000;

const hosts = ["shop.example.com", "www.example.com", "example.com"];
const suppliers = ["cdn.example.net", "static.example.org", "analytics.example.io"];
const thirdParties = [...suppliers, "widgets.example.co", "pay.example.net"];
const pages = ["/", "/checkout", "/account/login", "/blog/first", "/search"];
const words = ["app", "vendor", "loader", "player", "chat", "stats", "forms", "consent"];
const categories = ["malware", "cryptomining", "phishing", "spyware"];
const cookieNames = ["session", "csrf", "theme", "cart", "locale", "consent", "visitor"];

/** Returns an invented item with the given fields. Derives the pages, and whether the URL contains `/cdn-cgi/`, unless given. */
export function asWished<T extends ReturnType<typeof seedSighting>>(made: T, wishes: Partial<T>): T {
  const { url, host } = { ...made, ...wishes };
  const page = wishes.first_page_url ?? made.first_page_url.replace(made.host, host);
  const isOfNetwork = /^[^?#]*\/cdn-cgi\//.test(url);
  const pages = { first_page_url: page, page_urls: [page] };
  return { ...made, ...pages, url_contains_cdn_cgi_path: isOfNetwork, ...structuredClone(wishes) };
}

/** Returns the status of a seeded item. Of every ten items, one is infrequent, one inactive and the rest active. */
function chooseStatus(index: number, statuses: readonly string[] | undefined): string {
  if (statuses !== undefined) return statuses[index % statuses.length] ?? "active";
  return index % 10 === 1 ? "infrequent" : index % 10 === 2 ? "inactive" : "active";
}

/** Creates a script. Of every ten scripts, one has a bad score, one a reported URL, one a reported domain and one no scores. */
export function seedScript(random: Random, index: number, statuses?: readonly string[]) {
  const sighting = seedSighting(random, index, `${pick(random, words)}-${index}.js`, statuses);
  const unscored = index % 10 === 6;
  const score = (): number | null => (unscored ? null : between(random, 60, 99));
  const integrity = index % 10 === 3 ? between(random, 1, 49) : score();
  const digest = (): string | null => makeHexadecimal(random, 64);
  const [hash, older] = [digest(), digest()];
  return {
    ...sighting,
    hash,
    js_integrity_score: integrity,
    obfuscation_score: score(),
    dataflow_score: score(),
    cryptomining_score: score(),
    magecart_score: score(),
    malware_score: score(),
    fetched_at: sighting.last_seen_at as string | null,
    versions: [
      { hash, js_integrity_score: integrity, fetched_at: sighting.last_seen_at },
      { hash: older, js_integrity_score: score(), fetched_at: sighting.first_seen_at },
    ],
  };
}

export function seedConnection(random: Random, index: number, statuses?: readonly string[]) {
  return seedSighting(random, index, `${pick(random, words)}/collect-${index}`, statuses);
}

export function seedCookie(random: Random, index: number, statuses?: readonly string[]) {
  const host = pick(random, hosts);
  const path = pick(random, pages);
  const seenAt = newest - between(random, 0, 6) * day - index * 1000;
  const at = (days: number) => new Date(seenAt + days * day).toISOString();
  return {
    id: makeHexadecimal(random, 32),
    type: index % 4 === 3 ? "unknown" : "first_party",
    name: `${pick(random, cookieNames)}_${index}`,
    host,
    domain_attribute: index % 2 === 0 ? host : ".example.com",
    expires_attribute: at(30),
    http_only_attribute: index % 2 === 0,
    max_age_attribute: index % 3 === 0 ? null : 3600 * (index + 1),
    path_attribute: path === "/checkout" ? path : "/",
    same_site_attribute: ["strict", "lax", "none"][index % 3] ?? "lax",
    secure_attribute: index % 3 !== 1,
    first_seen_at: at(-20),
    last_seen_at: at(0),
    first_page_url: `${host}${path}`,
    page_urls: [`${host}${path}`],
    status: chooseStatus(index, statuses),
  };
}

function seedSighting(random: Random, index: number, file: string, statuses?: readonly string[]) {
  const host = pick(random, hosts);
  const source = random() < 0.3 ? host : pick(random, thirdParties);
  const badUrl = index % 10 === 4;
  const badDomain = index % 10 === 5;
  const page = `https://${host}${pick(random, pages)}`;
  // Each item was seen in a different second, so that sorting by time always gives the same order.
  const seenAt = newest - between(random, 0, 6) * day - index * 1000;
  const addedAt = new Date(seenAt - between(random, 8, 40) * day).toISOString();
  return {
    id: makeHexadecimal(random, 32),
    url: `https://${source}/${file}`,
    added_at: addedAt,
    host,
    first_seen_at: addedAt,
    last_seen_at: new Date(seenAt).toISOString(),
    domain_reported_malicious: badDomain,
    url_reported_malicious: badUrl,
    malicious_domain_categories: badDomain ? [pick(random, categories)] : [],
    malicious_url_categories: badUrl ? [pick(random, categories)] : [],
    first_page_url: page,
    page_urls: [page],
    status: chooseStatus(index, statuses),
    url_contains_cdn_cgi_path: false,
  };
}

function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

function pick(random: Random, from: readonly string[]): string {
  return from[Math.floor(random() * from.length)] ?? "";
}
