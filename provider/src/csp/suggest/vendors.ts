import { listOfKind } from "../impact/seen-item";
import { SourceList } from "../match/source-list";
import { WideSources } from "../match/wide-sources";
import type { Directives } from "../syntax/build";
import { type RequestUrl, unknownPage } from "../syntax/request-url";
import { parseSource } from "../syntax/source";

/** What a vendor documents that policies of its customers have to allow. */
export interface Vendor {
  readonly name: string;
  /** Where it says so, or shows the address that its script is to be loaded from. As of November 2026. */
  readonly reference: string;
  readonly sources: { readonly script: readonly string[]; readonly connection: readonly string[] };
}

export const knownVendors: readonly Vendor[] = [
  {
    name: "reCAPTCHA",
    reference: "https://docs.cloud.google.com/recaptcha/docs/faq",
    sources: { script: ["www.google.com/recaptcha/", "www.gstatic.com/recaptcha/"], connection: [] },
  },
  {
    name: "Stripe",
    reference: "https://docs.stripe.com/security/guide",
    sources: { script: ["js.stripe.com", "*.js.stripe.com"], connection: ["api.stripe.com"] },
  },
  {
    name: "PayPal",
    reference: "https://developer.paypal.com/sdk/js/best-practices",
    sources: {
      script: ["*.paypal.com", "*.paypalobjects.com"],
      connection: ["*.paypal.com", "*.paypalobjects.com"],
    },
  },
  {
    name: "Adyen",
    reference: "https://docs.adyen.com/online-payments/script-security-compliance/manage-script-security",
    sources: {
      script: ["*.adyen.com/checkoutshopper/"],
      connection: ["*.adyen.com/checkoutshopper/", "*.adyen.com/checkoutanalytics/"],
    },
  },
  {
    name: "Google Tag Manager and Analytics",
    reference: "https://developers.google.com/tag-platform/security/guides/csp",
    sources: {
      script: ["*.googletagmanager.com"],
      connection: ["*.google-analytics.com", "*.analytics.google.com", "*.googletagmanager.com"],
    },
  },
  {
    name: "hCaptcha",
    reference: "https://docs.hcaptcha.com/#content-security-policy-settings",
    sources: { script: ["hcaptcha.com", "*.hcaptcha.com"], connection: ["hcaptcha.com", "*.hcaptcha.com"] },
  },
  {
    name: "Turnstile",
    reference: "https://developers.cloudflare.com/turnstile/reference/content-security-policy/",
    sources: { script: ["challenges.cloudflare.com"], connection: [] },
  },
  {
    name: "Klarna",
    reference:
      "https://docs.klarna.com/klarna-network-distribution/payment-presentation/web-sdk-configuration/browser-security-configuration/",
    sources: {
      script: ["x.klarnacdn.net", "js.klarna.com"],
      connection: ["*.klarna.com", "*.klarnaevt.com", "x.klarnacdn.net"],
    },
  },
  {
    name: "Braintree",
    reference: "https://developer.paypal.com/braintree/docs/guides/client-sdk/setup/javascript/v3/",
    sources: {
      script: ["js.braintreegateway.com", "assets.braintreegateway.com"],
      connection: [
        "api.braintreegateway.com",
        "client-analytics.braintreegateway.com",
        "*.braintree-api.com",
      ],
    },
  },
  {
    name: "Apple Pay",
    reference:
      "https://developer.apple.com/documentation/applepayontheweb/loading-the-latest-version-of-the-apple-pay-js-api",
    sources: { script: ["applepay.cdn-apple.com"], connection: [] },
  },
  {
    name: "Google Pay",
    reference: "https://developers.google.com/pay/api/web/guides/tutorial",
    sources: { script: ["pay.google.com/gp/p/js/"], connection: ["pay.google.com"] },
  },
  {
    name: "Shopify",
    reference: "https://shopify.dev/docs/api/hydrogen/latest/utilities/createcontentsecuritypolicy",
    sources: { script: ["cdn.shopify.com"], connection: ["monorail-edge.shopifysvc.com"] },
  },
];

type Kind = keyof Vendor["sources"];

let known: Readonly<Record<Kind, ReturnType<typeof knownOf>>> | undefined;

/**
 * The vendor of a URL, and the folder of the source that it documents for it (empty: whole hosts); undefined where no
 * vendor of the table documents one.
 */
export function documentedFor(kind: Kind, url: RequestUrl) {
  known ??= { script: knownOf("script"), connection: knownOf("connection") };
  const { list, vendorOf } = known[kind];
  const [source] = list.allowing(url, unknownPage);
  const vendor = source === undefined ? undefined : vendorOf.get(source);
  if (source === undefined || vendor === undefined) return undefined;
  const read = parseSource(source);
  return { vendor, path: (read.kind === "host" && read.path) || "" };
}

function knownOf(kind: Kind) {
  const vendorOf = new Map(
    knownVendors.flatMap((vendor) => vendor.sources[kind].map((source) => [source, vendor] as const)),
  );
  return { list: new SourceList([...vendorOf.keys()]), vendorOf };
}

/** What a vendor in use documents and a policy does not allow. */
export interface DocumentedSources {
  readonly vendor: string;
  readonly reference: string;
  readonly directive: "script-src" | "connect-src";
  readonly sources: readonly string[];
}

/** Only of what the policy restricts by a list of its own, and what may be allowed. */
export function missingOf(
  vendors: ReadonlySet<Vendor>,
  directives: Directives,
  isSafe: (kind: Kind, source: string) => boolean,
): readonly DocumentedSources[] {
  const kinds = (["script", "connection"] as const).flatMap((kind) => {
    const list = directives[listOfKind[kind]];
    return list === undefined ? [] : [{ kind, list: new Set(list), wide: WideSources.of(list) }];
  });
  return knownVendors
    .filter((vendor) => vendors.has(vendor))
    .flatMap(({ name: vendor, reference, sources: documented }) =>
      kinds.flatMap(({ kind, list, wide }) => {
        const sources = documented[kind].filter(
          (source) => !list.has(source) && !wide.covers(parseSource(source)) && isSafe(kind, source),
        );
        return sources.length === 0 ? [] : [{ vendor, reference, directive: listOfKind[kind], sources }];
      }),
    );
}
