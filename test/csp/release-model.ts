import { hexadecimal, type Random, seededRandom } from "../../provider/src/simulator/state/random";

/**
 * What pages of a zone load, week by week. Each vendor has URLs of the shape that it really has; what is in braces is
 * another one with each release: `{ver}` 3.4.21, `{n}` 55, `{h8}` as many hexadecimal digits, `{t20}` as many letters and
 * digits, `{d8}` 20240109, `{d6}` 202401. In angle brackets: chosen once for the site, like a key.
 */
interface Vendor {
  /** Releases a week. */
  readonly cadence: number;
  readonly urls: readonly string[];
}

/** What the site's own team pins: it changes with the site, not with the vendor. */
const pinned = 0.02;

const of = (cadence: number, ...urls: readonly string[]): Vendor => ({ cadence, urls });

const shop = "https://shop.example.com";
const payment: readonly Vendor[] = [
  of(0.2, "https://js.stripe.com/v3/", "https://js.stripe.com/v3/fingerprinted/js/checker-{h32}.js"),
  of(0.1, "https://www.paypal.com/sdk/js?client-id=<t20>", "https://www.paypal.com/tagmanager/pptm.js"),
  of(0.1, "https://www.paypalobjects.com/api/checkout.js"),
  of(0.3, "https://checkoutshopper-live.adyen.com/checkoutshopper/sdk/{ver}/adyen.js"),
  of(0.1, "https://x.klarnacdn.net/kp/lib/v1/api.js", "https://js.klarna.com/web-sdk/v1/klarna.js"),
  of(0.2, "https://js.braintreegateway.com/web/{ver}/js/client.min.js"),
  of(0.1, "https://applepay.cdn-apple.com/jsapi/1.latest/apple-pay-sdk.js"),
  of(0.1, "https://pay.google.com/gp/p/js/pay.js"),
];
const captcha: readonly Vendor[] = [
  of(
    0.9,
    "https://www.google.com/recaptcha/api.js",
    "https://www.gstatic.com/recaptcha/releases/{t24}/recaptcha__en.js",
  ),
];
const analytics: readonly Vendor[] = [
  of(
    0.1,
    "https://www.googletagmanager.com/gtm.js?id=GTM-<t7>",
    "https://www.googletagmanager.com/gtag/js?id=G-<t9>",
  ),
  of(
    0.5,
    "https://connect.facebook.net/en_US/fbevents.js",
    "https://connect.facebook.net/signals/config/<n15>?v={ver}",
  ),
  of(
    0.8,
    "https://analytics.tiktok.com/i18n/pixel/events.js",
    "https://analytics.tiktok.com/i18n/pixel/static/main.{t16}.js",
  ),
  of(0.5, "https://www.clarity.ms/tag/<t10>", "https://scripts.clarity.ms/{ver}/clarity.js"),
  of(0.8, "https://static.hotjar.com/c/hotjar-<n7>.js", "https://script.hotjar.com/modules.{h20}.js"),
  of(0.1, "https://bat.bing.com/bat.js"),
];
const consent: readonly Vendor[] = [
  of(
    0.2,
    "https://cdn.cookielaw.org/scripttemplates/otSDKStub.js",
    "https://cdn.cookielaw.org/scripttemplates/{d6}.1.0/otBannerSdk.js",
  ),
];

const shopVendors: readonly Vendor[] = [
  of(
    1,
    `${shop}/_next/static/chunks/main-{h16}.js`,
    `${shop}/_next/static/chunks/pages/_app-{h16}.js`,
    `${shop}/_next/static/chunks/{n3}-{h16}.js`,
    `${shop}/_next/static/{t21}/_buildManifest.js`,
    `${shop}/_next/static/chunks/pages/cart-{h16}.js`,
    `${shop}/_next/static/chunks/pages/checkout-{h16}.js`,
    `${shop}/_next/static/chunks/webpack-{h16}.js`,
    `${shop}/_next/static/chunks/framework-{h16}.js`,
    `${shop}/js/checkout.js`,
    `${shop}/js/menu.js`,
  ),
  of(0.1, `${shop}/cdn-cgi/scripts/<h8>/cloudflare-static/email-decode.min.js`),
  ...payment,
  ...captcha,
  ...analytics,
  ...consent,
  of(
    0.9,
    "https://cdn.shopify.com/shopifycloud/checkout-web/assets/c1/app.{h8}.js",
    "https://cdn.shopify.com/s/files/1/0123/4567/8901/t/{n}/assets/theme.js",
    "https://cdn.shopify.com/extensions/<uuid>/reviews-{n3}/assets/embed.js",
  ),
  of(0.6, "https://s.pinimg.com/ct/core.js", "https://s.pinimg.com/ct/lib/main.{h8}.js"),
  of(
    0.9,
    "https://static.klaviyo.com/onsite/js/<t6>/klaviyo.js",
    "https://static-tracking.klaviyo.com/onsite/js/vendors~signup_forms.{h20}.js",
  ),
  of(0.8, "https://widget.intercom.io/widget/<t8>", "https://js.intercomcdn.com/frame-modern.{h8}.js"),
  of(
    0.8,
    "https://static.zdassets.com/ekr/snippet.js",
    "https://static.zdassets.com/web_widget/messenger/latest/web-widget-main-{h7}.js",
  ),
  of(pinned, "https://cdn.jsdelivr.net/npm/swiper@{ver}/swiper-bundle.min.js"),
  of(pinned, "https://unpkg.com/htmx.org@{ver}/dist/htmx.min.js"),
  of(pinned, "https://cdnjs.cloudflare.com/ajax/libs/lodash.js/{ver}/lodash.min.js"),
  of(pinned, "https://ajax.googleapis.com/ajax/libs/jquery/{ver}/jquery.min.js"),
  of(0.1, "https://widget.trustpilot.com/bootstrap/v5/tp.widget.bootstrap.min.js"),
  of(0.3, "https://dynamic.criteo.com/js/ld/ld.js?a=<n6>", "https://static.criteo.net/js/ld/publishertag.js"),
  of(0.1, "https://cdn.optimizely.com/js/<n11>.js"),
  of(
    0.5,
    "https://cdn.segment.com/analytics.js/v1/<t32>/analytics.min.js",
    "https://cdn.segment.com/next-integrations/integrations/google-tag-manager/{ver}/integration.js.gz",
  ),
  of(0.1, "https://s3.eu-west-1.amazonaws.com/shop-assets/widgets/size-guide.js"),
  of(
    0.4,
    "https://maps.googleapis.com/maps/api/js?key=<t39>",
    "https://maps.googleapis.com/maps-api-v3/api/js/{n}/1/common.js",
  ),
];

const bank = "https://bank.example.com";
const bankVendors: readonly Vendor[] = [
  of(
    0.5,
    `${bank}/static/js/main.{h8}.js`,
    `${bank}/static/js/{n}.{h8}.chunk.js`,
    `${bank}/static/js/runtime.{h8}.js`,
    `${bank}/online/login.js`,
  ),
  ...captcha,
  of(0.1, "https://www.googletagmanager.com/gtm.js?id=GTM-<t7>"),
  ...consent,
  of(0.3, "https://js-agent.newrelic.com/nr-loader-spa-{ver}.min.js"),
  of(pinned, "https://browser.sentry-cdn.com/{ver}/bundle.min.js"),
  of(0.1, "https://www.datadoghq-browser-agent.com/eu1/v5/datadog-rum.js"),
];

const news = "https://news.example.com";
const newsVendors: readonly Vendor[] = [
  ...Array.from({ length: 150 }, () => of(1, `${news}/assets/{d8}/js/<t6>.{h10}.js`)),
  ...Array.from({ length: 28 }, () => of(0.3, `${news}/js/<t8>.js`)),
  ...captcha,
  ...analytics,
  ...consent,
  of(
    1,
    "https://securepubads.g.doubleclick.net/tag/js/gpt.js",
    "https://securepubads.g.doubleclick.net/pagead/managed/js/gpt/m{d8}0101/pubads_impl.js",
    "https://pagead2.googlesyndication.com/pagead/js/adsbygoogle.js",
    "https://pagead2.googlesyndication.com/pagead/managed/js/adsense/m{d8}0101/show_ads_impl.js",
  ),
  of(
    0.9,
    "https://www.youtube.com/iframe_api",
    "https://www.youtube.com/s/player/{h8}/www-widgetapi.vflset/www-widgetapi.js",
  ),
  of(0.4, "https://platform.twitter.com/widgets.js", "https://platform.twitter.com/js/tweet.{h32}.js"),
  of(
    1,
    "https://cdn.taboola.com/libtrc/<t10>/loader.js",
    "https://cdn.taboola.com/libtrc/impl.{d8}-{n}-RELEASE.js",
  ),
  of(0.1, "https://widgets.outbrain.com/outbrain.js", "https://static.chartbeat.com/js/chartbeat.js"),
  of(
    0.1,
    "https://sb.scorecardresearch.com/cs/<n8>/beacon.js",
    "https://c.amazon-adsystem.com/aax2/apstag.js",
  ),
  of(0.1, "https://players.brightcove.net/<n13>/<t9>_default/index.min.js"),
  of(
    0.5,
    "https://cdn.jwplayer.com/libraries/<t8>.js",
    "https://ssl.p.jwpcdn.com/player/v/{ver}/jwplayer.core.controls.js",
  ),
  of(0.1, "https://cdn.permutive.com/<uuid>-web.js"),
  ...longTail(90),
];

/** The ad vendors that nobody knows by name, each with one of the shapes of the others. */
function longTail(count: number): readonly Vendor[] {
  const shapes = [
    ["/tag.js"],
    ["/prod/{h12}/bundle.js", "/loader.js"],
    ["/js/{ver}/lib.js", "/js/{ver}/core.js", "/js/boot.js"],
    ["/<n6>/loader.js", "/static/{d8}/ads.js"],
    ["/sdk/v2/index.js", "/sdk/v2/chunk.{h8}.js", "/sdk/v2/vendor.{h8}.js"],
    ["/{h20}/app.js", "/init.js"],
  ];
  return Array.from({ length: count }, (_, index) => {
    const urls = shapes[index % shapes.length] ?? [];
    const host = `https://cdn.adtech-${index}.example.net`;
    return of([0.1, 0.5, 0.9][index % 3] ?? 0.5, ...urls.map((url) => `${host}${url}`));
  });
}

export interface ReleasedZone {
  readonly name: string;
  readonly page: string;
  /** What was loaded in the weeks that the service has seen, each URL once. */
  readonly seen: readonly string[];
  /** What is loaded in each of the weeks after. */
  readonly weeks: readonly (readonly string[])[];
  /** What is malicious among what was seen. */
  readonly malicious: readonly string[];
}

/** So many weeks of three zones, as the seed decides. */
export function releasedZones(seed: number, weeks: number): readonly ReleasedZone[] {
  const random = seededRandom(seed);
  return [
    zone("shop", `${shop}/checkout`, shopVendors, [`${shop}/media/wysiwyg/x.js`, ...onSharedHosts], {
      weeks,
      random,
    }),
    zone("bank", `${bank}/online/`, bankVendors, ["https://bank-login.example.org/k.js"], { weeks, random }),
    zone(
      "news",
      `${news}/`,
      newsVendors,
      ["https://cdn.adtech-7.example.net/creative/m.js", ...onSharedHosts],
      {
        weeks,
        random,
      },
    ),
  ];
}

const onSharedHosts = [
  "https://cdn.jsdelivr.net/gh/attacker/kit/x.js",
  "https://cdn.shopify.com/s/files/1/0999/8888/7777/files/x.js",
];

/** What attackers load from hosts that pages use anyway: what they publish there, and known ways around policies. */
export const ATTACKS: readonly string[] = [
  "https://cdn.jsdelivr.net/npm/angular@1.8.3/angular.min.js",
  "https://cdn.jsdelivr.net/gh/attacker/kit@2/y.js",
  "https://unpkg.com/attacker-kit@1.0.0/index.js",
  "https://unpkg.com/angular@1.8.3/angular.min.js",
  "https://cdn.shopify.com/s/files/1/0999/8888/7777/files/y.js",
  "https://cdn.shopify.com/extensions/00000000-1111-2222-3333-444444444444/kit-1/assets/y.js",
  "https://s3.eu-west-1.amazonaws.com/attacker/y.js",
  "https://cdnjs.cloudflare.com/ajax/libs/angular.js/1.8.3/angular.js",
  "https://ajax.googleapis.com/ajax/libs/angularjs/1.8.3/angular.js",
  "https://www.google.com/recaptcha/about/js/main.min.js",
  "https://www.gstatic.com/recaptcha/about/js/main.min.js",
  "https://www.gstatic.com/fsn/angular_js-bundle1.js",
  "https://www.google.com/complete/search?client=chrome&jsonp=alert(1)",
  "https://www.youtube.com/oembed?callback=alert(1)",
  "https://www.googletagmanager.com/debug/api/vtinfo?callback=alert",
  "https://www.paypal.com/checkoutnow/remembered?callback=alert",
  "https://dynamic.criteo.com/js/ld/s2s.js?j=alert",
  "https://securepubads.g.doubleclick.net/gampad/ads?callback=alert",
  "https://maps.googleapis.com/maps/api/js?callback=alert(1)",
];

interface Making {
  readonly weeks: number;
  readonly random: Random;
}

function zone(
  name: string,
  page: string,
  vendors: readonly Vendor[],
  malicious: readonly string[],
  { weeks, random }: Making,
): ReleasedZone {
  const sites = vendors.map(({ cadence, urls }) => ({
    cadence,
    urls: urls.map((url) => fill(url, /<(\w+)>/g, random)),
  }));
  const release = (urls: readonly string[]) => urls.map((url) => fill(url, /\{(\w+)\}/g, random));
  let now = sites.map(({ urls }) => release(urls));
  const next = () => {
    now = now.map((before, index) => {
      const { cadence = 0, urls = [] } = sites[index] ?? {};
      return random() < cadence ? release(urls) : before;
    });
    return now.flat();
  };
  return {
    name,
    page,
    seen: [...new Set(next())],
    weeks: Array.from({ length: weeks }, next),
    malicious,
  };
}

function fill(url: string, place: RegExp, random: Random): string {
  return url.replace(place, (_, kind: string) => made(kind, random));
}

function made(kind: string, random: Random): string {
  const number = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const length = Number(kind.slice(1));
  const two = (value: number) => String(value).padStart(2, "0");
  if (kind === "ver") return `${number(1, 12)}.${number(0, 40)}.${number(0, 20)}`;
  if (kind === "uuid") return [8, 4, 4, 4, 12].map((digits) => hexadecimal(random, digits)).join("-");
  if (kind === "d8") return `${number(2024, 2026)}${two(number(1, 12))}${two(number(1, 28))}`;
  if (kind === "d6") return `${number(2024, 2026)}${two(number(1, 12))}`;
  if (kind === "n") return String(number(2, 99));
  if (kind.startsWith("n")) return Array.from({ length }, () => number(1, 9)).join("");
  if (kind.startsWith("h")) return hexadecimal(random, length);
  const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  return Array.from({ length }, () => letters[number(0, letters.length - 1)]).join("");
}
