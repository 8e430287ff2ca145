/**
 * URLs that let scripts bypass a policy, on hosts that many policies allow. The list adds to the URLs in csp_evaluator; ids are
 * replaced by `x`. Sources: vendors' documentation of callbacks, and published bypasses (docs/decisions/0009-dependencies.md). The
 * list was last checked in November 2026.
 */

/** URLs whose response calls the function that the query names. */
export const jsonpUrls = words(`
  api-js.mixpanel.com/engage/ api.bazaarvoice.com/data/batch.json api.bing.com/osjson.aspx
  api.braintreegateway.com/merchants/x/client_api/v1/payment_methods/credit_cards api.cxense.com/profile/user/segment
  api.dailymotion.com/videos api.flickr.com/services/rest/ api.getdrip.com/client/forms/show api.github.com/search/code
  api.ipify.org/ api.livechatinc.com/v3.6/customer/action/get_dynamic_configuration api.mixpanel.com/engage/
  api.olark.com/2.0/visitors/x api.recurly.com/js/v1/engage/settings api.stackexchange.com/2.3/info
  api.swiftype.com/api/v1/public/engines/search.json api.tumblr.com/v2/blog/x/posts/photo
  api.twitter.com/1/statuses/oembed.json api.usabilla.com/v2/feedback/x api.wordpress.org/stats/plugin/1.0/
  apis.google.com/complete/search app.link/_r cas.criteo.com/delivery/0.1/napi.jsonp cdn.arkoselabs.com/fc/a/
  cdnjs.cloudflare.com/polyfill/v3/polyfill.min.js client-api.arkoselabs.com/fc/a/ client.crisp.chat/settings/website/x/
  content.googleapis.com/discovery/v1/apis d.adroll.com/user_attrs dev.virtualearth.net/REST/v1/Locations
  dpm.demdex.net/id dynamic.criteo.com/js/ld/s2s.js en.wikipedia.org/w/api.php forms.hsforms.com/embed/v3/form/x
  forms.hubspot.com/embed/v3/form/x geolocation.onetrust.com/cookieconsentpub/v1/geo/location/alert
  graph.facebook.com/ gravatar.com/x.json id.cxense.com/public/user/id ipinfo.io/ itunes.apple.com/search
  lptag.liveperson.net/lptag/api/account/x/configuration/applications/taglets/.jsonp
  maps-api-ssl.google.com/maps/api/js maps.google.com/maps/api/js maps.googleapis.com/maps/api/js mc.yandex.ru/watch/x
  nominatim.openstreetmap.org/search open.spotify.com/oembed openexchangerates.org/api/latest.json
  partner.googleadservices.com/gampad/cookie.js polyfill-fastly.io/v3/polyfill.min.js
  public-api.wordpress.com/rest/v1/sites/x/posts/ pubads.g.doubleclick.net/gampad/ads
  r.skimresources.com/api/ recs.richrelevance.com/rrserver/api/personalize search.yahoo.com/sugg/gossip/gossip-us-ura/
  secure.gravatar.com/x.json server.ethicalads.io/api/v1/decision/ soundcloud.com/oembed srv.buysellads.com/ads/x.json
  srv.carbonads.net/ads/x.json suggestqueries.google.com/complete/search tagmanager.google.com/debug/api/vtinfo
  tlx.3lift.com/header/auction tr.snapchat.com/config/com/x.js translate-pa.googleapis.com/v1/supportedLanguages
  translate.google.com/translate_a/element.js vimeo.com/api/oembed.json vimeo.com/api/v2/video/x.json
  visitor-service.tealiumiq.com/x/main/q www.bing.com/api/maps/mapcontrol www.blogger.com/feeds/x/posts/default
  www.google-analytics.com/debug/api/vtinfo www.google.com/complete/search www.googleapis.com/books/v1/volumes
  www.googleapis.com/customsearch/v1 www.googletagmanager.com/debug/api/vtinfo www.ipinfo.io/
  www.paypal.com/checkoutnow/remembered www.reddit.com/.json www.youtube.com/oembed
`);

/** URLs of libraries that run code from the attributes of a page. */
export const gadgetUrls = words(`
  ajax.googleapis.com/ajax/libs/angularjs/1.8.3/angular.js cdn.jsdelivr.net/npm/alpinejs cdn.jsdelivr.net/npm/angular@1.8.3/angular.min.js
  cdn.jsdelivr.net/npm/htmx.org cdnjs.cloudflare.com/ajax/libs/alpinejs/3.10.5/cdn.min.js
  cdnjs.cloudflare.com/ajax/libs/angular.js/1.8.3/angular.js cdnjs.cloudflare.com/ajax/libs/htmx/2.0.4/htmx.min.js
  code.angularjs.org/1.8.3/angular.min.js unpkg.com/alpinejs unpkg.com/angular@1.8.3/angular.min.js unpkg.com/htmx.org
  unpkg.com/hyperscript.org www.google.com/recaptcha/about/js/main.min.js www.gstatic.com/recaptcha/about/js/main.min.js
`);

/** URLs of scripts that call one function of the page without arguments. The query names the function. */
export const callingUrls = words(`
  apis.google.com/js/api.js challenges.cloudflare.com/turnstile/v0/api.js hcaptcha.com/1/api.js js.hcaptcha.com/1/api.js
  recaptcha.net/recaptcha/api.js smartcaptcha.yandexcloud.net/captcha.js www.hcaptcha.com/1/api.js
  www.recaptcha.net/recaptcha/api.js
`);

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
