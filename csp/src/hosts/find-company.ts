import { findShared, isOfMany } from "./anyone-publishes";

/** The company behind a host. */
export interface Company {
  readonly name: string;
  /** Purpose of the company on a page, in a word or two: `payments`. Absent if it is not known. */
  readonly does?: string;
  /** Whether the company only hosts content that others publish. */
  readonly isHosting: boolean;
}

/**
 * Purposes of companies. Each line has a purpose, then categories of the data set or names of companies. The
 * categories `utility`, `content` and `other` are too general to show a purpose, so their companies are listed by name.
 */
const wordsFor = `
advertising: ad
analytics: analytics
consent: consent-provider
customer service: customer-success
marketing: marketing
social media: social
tag manager: tag-manager
payments: Adyen, Affirm, Afterpay, Amazon Pay, Bolt, Braintree Payments, Checkout.com, CyberSource (Visa), Divido, eWAY, Klarna
payments: PayPal, paysafecard, sage Pay, Stripe, Worldpay
search: Algolia, Constructor.io, Doofinder, Klevu Search, Luigis Box, SearchSpring, Swiftype
fraud prevention: Forter, Google reCAPTCHA, iovation, PerimeterX Bot Defender, Ravelin, Riskified, Sift Science, ThreatMetrix
error monitoring: AppDynamics, Bugsnag, New Relic, Raygun, Rollbar, Sentry
maps: Esri ArcGIS, Google Maps, Mapbox
video: video, Google Video
hosting: cdn, hosting
hosting: Amazon CloudFront, Amazon Web Services, Cachefly, CD Networks, Contentful, Dropbox, Fastly, GitHub, Highwinds, imgix
hosting: Key CDN, Level 3 Communications, MaxCDN Enterprise, Netlify
`;

const words: ReadonlyMap<string, string> = new Map(
  [...wordsFor.matchAll(/^(.+): (.+)$/gm)].flatMap(([, word = "", names = ""]) =>
    names.split(", ").map((name) => [name, word] as const),
  ),
);

/** Returns the company behind a host; undefined if it is not known. */
export function findCompany(host: string): Company | undefined {
  if (!host.includes(".")) return undefined;
  const entity = companies().getEntity(host);
  if (entity === undefined) return undefined;
  const does = words.get(entity.name) ?? words.get(entity.category);
  // A host that the data set names, such as `maps.googleapis.com`, is not a customer's.
  const isCustomers = !entity.domains.includes(host) && isOfMany(host);
  const isHosting = does === "hosting" || findShared(host) !== undefined || isCustomers;
  return { name: entity.company, ...(does !== undefined && { does }), isHosting };
}

/** Returns the company behind a host in words: `Stripe, payments`, or `hosted by GitHub` if others publish there. */
export function nameCompany(host: string): string | undefined {
  const { name, does, isHosting } = findCompany(host) ?? {};
  if (name === undefined) return undefined;
  if (isHosting) return `hosted by ${name}`;
  return does === undefined ? name : `${name}, ${does}`;
}

/** Loads the data set on first use, in 0.035 s, without its usage statistics. */
function companies(): typeof import("third-party-web/nostats-subset") {
  return require("third-party-web/nostats-subset") as typeof import("third-party-web/nostats-subset");
}
