import { makeHexadecimal, type Random, seededRandom } from "../../../simulator/src/state/random";
import { words } from "../random";
import { type Load, type Site, weeks } from "./site";

const lastDay = weeks * 7;
const always = { from: -400, to: lastDay } as const;

/** Returns the URLs of one vendor, with its own `domain`, over ten weeks. */
type Behaviour = (domain: string, random: Random) => readonly Load[];

type When = Readonly<Record<"from" | "to", number>>;
const script = (url: string, when: When): Load => ({ kind: "script", url, ...when });
const connection = (url: string, when: When): Load => ({ kind: "connection", url, ...when });

/** Returns URLs that follow one another, each for `cadence` days on average. */
function releases(random: Random, cadence: number, load: (when: When) => Load): Load[] {
  const found: Load[] = [];
  for (let from = -random() * cadence; from < lastDay; ) {
    const to = from + cadence * (0.5 + random());
    // An old release is still loaded from caches for a while.
    found.push(load({ from, to: to + 0.5 }));
    from = to;
  }
  return found;
}

/** Returns URLs of which visitors meet different ones; some are met only after several weeks. */
function pool(random: Random, urls: readonly string[], load: (url: string, when: When) => Load): Load[] {
  const first = Math.floor(random() * urls.length);
  return urls.map((url, index) =>
    load(url, { ...always, from: index === first || random() < 0.4 ? -300 : random() * 50 }),
  );
}

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const digits = (random: Random, count: number) =>
  Array.from({ length: count }, () => 1 + Math.floor(random() * 9)).join("");
const version = (random: Random) =>
  `${1 + Math.floor(random() * 9)}.${Math.floor(random() * 30)}.${Math.floor(random() * 20)}`;

const months = ["jan", "feb", "mar"];
const regions = ["us-east-1", "us-west-2", "eu-west-1", "eu-central-1", "ap-southeast-2", "sa-east-1"];
const countries = ["de", "fr", "nl", "it", "es", "co.uk"];
const hostsOf = (names: readonly string[], end: string) => names.map((name) => `https://${name}${end}`);
const brand = (domain: string) => domain.replace(/\..*$/, "");

const behaviours: Readonly<Record<string, Behaviour>> = {
  stable: (domain) => [
    script(`https://cdn.${domain}/tag.js`, always),
    connection(`https://api.${domain}/collect`, always),
  ],
  hashedFile: (domain, random) =>
    releases(random, 7, (when) =>
      script(`https://static.${domain}/js/app.${makeHexadecimal(random, 8)}.js`, when),
    ),
  versionFolder: (domain, random) =>
    releases(random, 10, (when) => script(`https://cdn.${domain}/sdk/${version(random)}/core.js`, when)),
  versionFolderFirst: (domain, random) =>
    releases(random, 10, (when) => script(`https://js.${domain}/${version(random)}/core.js`, when)),
  interfaceFolder: (domain, random) => [
    ...releases(random, 40, (when) =>
      script(`https://cdn.${domain}/lib/v${Math.floor(when.from / 40) + 12}/main.js`, when),
    ),
  ],
  monthFolder: (domain) =>
    months.map((month, index) => {
      const from = index * 30 - 12;
      return script(`https://cdn.${domain}/creative/${month}/unit.js`, { from, to: from + 31 });
    }),
  dateFolder: (domain, random) =>
    releases(random, 7, (when) => {
      const month = String(10 + Math.floor(when.from / 30)).slice(-2);
      return script(`https://cdn.${domain}/b/2026${month}0${digits(random, 1)}/m.js`, when);
    }),
  customerFolder: (domain, random) => {
    const id = digits(random, 8);
    return [
      script(`https://cdn.${domain}/${id}/loader.js`, always),
      ...releases(random, 12, (when) =>
        script(`https://cdn.${domain}/${id}/mod.${makeHexadecimal(random, 10)}.js`, when),
      ),
    ];
  },
  twoCustomerFolders: (domain, random) =>
    [digits(random, 6), digits(random, 6)].map((id) => script(`https://tags.${domain}/${id}/t.js`, always)),
  numberedHosts: (domain, random) =>
    pool(random, hostsOf(words("ws1 ws2 ws3 ws4 ws5 ws6 ws7 ws8 ws9"), `.${domain}/live`), connection),
  letterHosts: (domain, random) => pool(random, hostsOf(words("a b c d"), `.tile.${domain}/t.js`), script),
  regionHosts: (domain, random) => pool(random, hostsOf(regions, `.ingest.${domain}/v1/batch`), connection),
  regionBelow: (domain, random) =>
    pool(random, hostsOf(words("api.eu api.us api.ap"), `.${domain}/e`), connection),
  sessionHosts: (domain, random) =>
    Array.from({ length: 14 }, (_, index) => {
      const from = index * 5 + random() * 4;
      return connection(`https://${makeHexadecimal(random, 8)}.rum.${domain}/b`, { from, to: from + 2 });
    }),
  countryHosts: (domain, random) => {
    const at = `https://www.${brand(domain)}.`;
    return pool(
      random,
      countries.map((country) => `${at}${country}/ads/audience`),
      connection,
    );
  },
  pinned: (domain, random) =>
    releases(random, 60, (when) =>
      script(`https://cdn.jsdelivr.net/npm/${brand(domain)}@${version(random)}/dist/index.min.js`, when),
    ),
  bucket: (domain) => [script(`https://storage.googleapis.com/${brand(domain)}-assets/w.js`, always)],
  cloudfront: (_, random) => [
    script(`https://d${makeHexadecimal(random, 12)}.cloudfront.net/lib/w.js`, always),
  ],
  rarely: (domain) => [{ ...script(`https://pay.${domain}/sdk.js`, always), isRare: true }],
};
/** Behaviours, each as often as on real pages. */
const mix: readonly (keyof typeof behaviours)[] = words(
  `${"stable ".repeat(14)} ${"hashedFile ".repeat(4)} versionFolder versionFolder versionFolderFirst
  interfaceFolder monthFolder dateFolder customerFolder customerFolder twoCustomerFolders numberedHosts
  letterHosts regionHosts regionBelow sessionHosts countryHosts pinned pinned bucket cloudfront rarely rarely`,
);

function own(host: string, random: Random): Load[] {
  const [chunk, build] = [() => makeHexadecimal(random, 16), () => makeHexadecimal(random, 20)];
  return [
    script(`https://${host}/js/checkout.js`, always),
    ...releases(random, 6, (when) => script(`https://${host}/_next/static/chunks/main-${chunk()}.js`, when)),
    ...releases(random, 6, (when) =>
      script(`https://${host}/_next/static/${build()}/_buildManifest.js`, when),
    ),
    connection(`https://${host}/api/cart`, always),
  ];
}

function attacks(domains: readonly string[], random: Random): Load[] {
  const late = () => ({ from: 11.2 + random() * 2.7, to: lastDay });
  const early = () => ({ from: random() * 9, to: lastDay });
  const imitated = pick(random, domains).replace(".", "-cdn.");
  const evil = (url: string, when: When, malice: "known" | "unknown"): Load => ({
    ...script(url, when),
    isRare: random() < 0.8,
    malice,
  });
  return [
    evil(`https://${makeHexadecimal(random, 6)}-stat.example.org/k.js`, late(), "unknown"),
    evil(`https://${imitated}/tag.js`, late(), "unknown"),
    evil(`https://js.${makeHexadecimal(random, 5)}-collect.example.org/a.js`, early(), "known"),
    evil(`https://${imitated}/pay.js`, early(), "known"),
    evil("https://cdn.jsdelivr.net/gh/attacker/kit/x.js", early(), "known"),
    evil("https://storage.googleapis.com/attacker/y.js", { from: 20, to: lastDay }, "unknown"),
    evil("https://cdn.jsdelivr.net/npm/attacker-kit@1.0.0/i.js", { from: 20, to: lastDay }, "unknown"),
    evil(`https://d${makeHexadecimal(random, 12)}.cloudfront.net/k.js`, { from: 25, to: lastDay }, "unknown"),
  ];
}

/** Returns `count` sites with 22 vendors each. The seed determines them. */
export function generatedSites(seed: number, count = 12): readonly Site[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, site) => {
    const host = `www.shop-${site}.example`;
    const domains = Array.from(
      { length: 22 },
      (_each, index) =>
        `${pick(random, ["metric", "pay", "chat", "ads", "ab", "map"])}${site}${"abcdefghijklmnopqrstuvw"[index]}.com`,
    );
    const vendors = domains.flatMap((domain) => behaviours[pick(random, mix)]?.(domain, random) ?? []);
    // The site adds this vendor later, so no suggestion can know it.
    const added =
      site % 4 === 0 ? [script(`https://new${site}.example.net/t.js`, { from: 63, to: lastDay })] : [];
    const loads = [...own(host, random), ...vendors, ...added, ...attacks(domains, random)];
    return { name: host, page: `https://${host}/checkout`, loads };
  });
}
