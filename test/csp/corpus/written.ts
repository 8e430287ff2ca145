import { type Load, type Site, weeks } from "./site";

const end = weeks * 7;

/**
 * Sites written by hand, over ten weeks. Each line has the days, the kind and the URL. `rare`: few visitors met it. `known` and
 * `unknown`: it is malicious, and the service reports it or does not.
 */
const sites: Readonly<Record<string, string>> = {
  "https://www.fashion.example/checkout": `
    -90..      script https://www.fashion.example/static/vendor.js
    -3..9      script https://www.fashion.example/static/main.4be1a09c.js
    9..31      script https://www.fashion.example/static/main.77d1c0fe.js
    31..       script https://www.fashion.example/static/main.0a98bc71.js
    -90..      script https://js.stripe.com/v3/
    -20..12    script https://js.stripe.com/v3/fingerprinted/js/phone-numbers-lib-2ad1f1b3a1c1d1f2a7b9c0d1e2f30415.js
    12..       script https://js.stripe.com/v3/fingerprinted/js/phone-numbers-lib-b7c0a2d4e6f8091a2b3c4d5e6f708192.js
    -90..      connection https://api.stripe.com/v1/payment_pages
    -90..      connection https://r.stripe.com/b
    -90..      script https://www.googletagmanager.com/gtag/js?id=G-7XK2M9QF1B
    -90..      connection https://region1.google-analytics.com/g/collect
    5..        connection https://region2.google-analytics.com/g/collect
    -90..      connection https://www.google.com/ccm/collect
    2..        connection https://www.google.fr/ads/ga-audiences
    4..        connection https://www.google.be/ads/ga-audiences
    30..       connection https://www.google.ch/ads/ga-audiences
    -90..      script https://static.hotjar.com/c/hotjar-3214567.js
    -9..11     script https://script.hotjar.com/modules.5d1cf53a8bf2fe3f5a8d.js
    11..40     script https://script.hotjar.com/modules.0f1e2d3c4b5a69788796.js
    40..       script https://script.hotjar.com/modules.aa10cc42ee64ff86aa98.js
    -90..      connection wss://ws4.hotjar.com/api/v2/client/ws
    6..        connection wss://ws12.hotjar.com/api/v2/client/ws
    22..       connection wss://ws27.hotjar.com/api/v2/client/ws
    -90..      connection https://content.hotjar.io/
    -90..      script https://cdn.cookielaw.org/scripttemplates/otSDKStub.js
    -90..36    script https://cdn.cookielaw.org/scripttemplates/202510.1.0/otBannerSdk.js
    36..       script https://cdn.cookielaw.org/scripttemplates/202602.1.0/otBannerSdk.js
    -90..      script https://cdn.cookielaw.org/consent/0190a1b2-33c4-7d5e-8f90-a1b2c3d4e5f6/OtAutoBlock.js
    -90..      script https://connect.facebook.net/en_US/fbevents.js
    -90..      script https://connect.facebook.net/signals/config/184467440737095?v=2.9.176
    -90..      script https://static.klaviyo.com/onsite/js/UxK9aZ/klaviyo.js
    8..        rare script https://x.klarnacdn.net/kp/lib/v1/api.js
    13.4..     rare unknown script https://cdn.fashion-static.example.org/l.js
    1..        known script https://fashlon.example.org/pay.js
    30..       unknown script https://d3attacker9x0.cloudfront.net/k.js`,
  "https://shop.garden.example/basket": `
    -200..     script https://shop.garden.example/assets/js/app.js?v=883
    -200..     script https://cdn.shopify.com/shopifycloud/checkout-web/assets/c1/polyfills.BSt4xkRt.js
    -9..16     script https://cdn.shopify.com/s/files/1/0555/1234/8901/t/41/assets/theme.js
    16..       script https://cdn.shopify.com/s/files/1/0555/1234/8901/t/42/assets/theme.js
    -200..     script https://cdn.jsdelivr.net/npm/swiper@11.1.4/swiper-bundle.min.js
    -200..47   script https://cdnjs.cloudflare.com/ajax/libs/lodash.js/4.17.21/lodash.min.js
    47..       script https://cdnjs.cloudflare.com/ajax/libs/lodash.js/4.18.0/lodash.min.js
    -200..     script https://maps.googleapis.com/maps/api/js?key=AIzaSyA1234567
    -5..11     script https://maps.googleapis.com/maps-api-v3/api/js/60/4/common.js
    11..30     script https://maps.googleapis.com/maps-api-v3/api/js/60/5/common.js
    30..       script https://maps.googleapis.com/maps-api-v3/api/js/61/1/common.js
    -200..     connection https://a.tile.openstreetmap.org/5/16/10.png
    0..        connection https://b.tile.openstreetmap.org/5/17/10.png
    33..       connection https://c.tile.openstreetmap.org/5/17/11.png
    -200..     script https://garden-widgets.s3.eu-west-1.amazonaws.com/planner/v2/planner.js
    -200..     script https://widgets.trustedshops.com/js/XF6A9C1E8B7D4F20A1B2C3D4E5F60718.js
    -200..     script https://cdn.optimizely.com/js/24681357902.js
    -200..     connection https://logx.optimizely.com/v1/events
    -200..     connection https://o447951.ingest.sentry.io/api/5429215/envelope/
    -200..     script https://browser.sentry-cdn.com/7.119.0/bundle.min.js
    -200..     script https://js.hs-scripts.com/7052064.js
    -200..     script https://js.hs-analytics.net/analytics/1767600000000/7052064.js
    6..13      script https://js.hs-analytics.net/analytics/1768100000000/7052064.js
    13..20     script https://js.hs-analytics.net/analytics/1768700000000/7052064.js
    20..       script https://js.hs-analytics.net/analytics/1769300000000/7052064.js
    -200..     script https://consent.cookiebot.com/uc.js
    -200..     script https://consent.cookiebot.com/8a1b2c3d-0f1e-4a5b-9c8d-7e6f5a4b3c2d/cc.js
    -200..     rare script https://www.paypal.com/sdk/js?client-id=AX1
    12.8..     rare unknown script https://garden-cdn.b-cdn.net/jquery.min.js
    3..        known script https://storage.googleapis.com/free-fonts/f.js
    18..       unknown script https://cdn.jsdelivr.net/gh/gard3n/x/i.js`,
  "https://news.daily.example/": `
    -300..     script https://news.daily.example/bundle.js
    -300..     script https://securepubads.g.doubleclick.net/tag/js/gpt.js
    -2..5      script https://securepubads.g.doubleclick.net/pagead/managed/js/gpt/m202601050101/pubads_impl.js
    5..12      script https://securepubads.g.doubleclick.net/pagead/managed/js/gpt/m202601120101/pubads_impl.js
    12..       script https://securepubads.g.doubleclick.net/pagead/managed/js/gpt/m202601190101/pubads_impl.js
    -300..     script https://c.amazon-adsystem.com/aax2/apstag.js
    -300..     connection https://aax-eu.amazon-adsystem.com/e/dtb/bid
    1..        connection https://aax-us-east.amazon-adsystem.com/e/dtb/bid
    29..       connection https://aax-fe.amazon-adsystem.com/e/dtb/bid
    -300..     script https://cdn.taboola.com/libtrc/daily-news/loader.js
    -4..8      script https://cdn.taboola.com/libtrc/impl.20260101-11-RELEASE.js
    8..22      script https://cdn.taboola.com/libtrc/impl.20260113-3-RELEASE.js
    22..       script https://cdn.taboola.com/libtrc/impl.20260127-9-RELEASE.js
    -300..     connection https://trc-events.taboola.com/daily-news/log/3/unip
    -300..     connection https://ib.adnxs.com/ut/v3/prebid
    -300..     connection https://prebid-server.rubiconproject.com/openrtb2/auction
    -300..     script https://widgets.outbrain.com/outbrain.js
    -300..     script https://sb.scorecardresearch.com/cs/6036211/beacon.js
    -300..     script https://cdn.jwplayer.com/libraries/kP9xYq2Z.js
    -20..10    script https://ssl.p.jwpcdn.com/player/v/8.36.2/jwplayer.core.controls.js
    10..       script https://ssl.p.jwpcdn.com/player/v/8.37.0/jwplayer.core.controls.js
    -300..     connection https://jwpltx.com/v1/jwplayer6/ping.gif
    -300..     script https://players.brightcove.net/5348771529001/default_default/index.min.js
    -300..     script https://cdn.permutive.app/9d6c1f2e-44aa-4b1d-9f11-3c2b1a0f9e8d-web.js
    -300..     connection https://api.permutive.com/v2.0/events
    -300..     script https://platform.twitter.com/widgets.js
    2..        connection https://edge7.chat.daily-vendor.com/s
    9..        connection https://edge3.chat.daily-vendor.com/s
    26..       connection https://edge11.chat.daily-vendor.com/s
    13..       rare unknown script https://analytics-daily.example.org/a.js
    2..        known script https://adserve.example.org/x.js`,
};

export const writtenSites: readonly Site[] = Object.entries(sites).map(([page, text]) => ({
  name: new URL(page).host,
  page,
  loads: text.trim().split("\n").map(read),
}));

function read(line: string): Load {
  const [days = "", ...words] = line.trim().split(/\s+/);
  const [from = "", to = ""] = days.split("..");
  const [kind, url = ""] = words.slice(-2);
  const malice = words.find((word): word is "known" | "unknown" => word === "known" || word === "unknown");
  return {
    kind: kind === "connection" ? "connection" : "script",
    url,
    from: Number(from),
    to: to === "" ? end : Number(to),
    isRare: words.includes("rare"),
    ...(malice !== undefined && { malice }),
  };
}
