/**
 * URLs that are known to bypass policies, in addition to those of csp_evaluator: host and path of what the public list of
 * CSP bypasses has found (https://cspbypass.com, https://github.com/renniepak/CSPBypass, May 2026).
 */

/** They answer with a call of whatever the query names. */
export const jsonpUrls = words(`
  7b936.v.fwmrm.net/ad/g/1 a.config.skype.com/config/v1/SkypeLyncWebExperience/905_1.2.5.0
  a.huodong.mi.com/postfree/postfree aax-us-east-retail-direct.amazon.com/e/xsp/getAdj
  abr.business.gov.au/json/AcnDetails.aspx abtasty.com/wp-json
  accdn.lpsnmedia.net/api/account/1/configuration/engagement-window/window-confs/1
  acs.aliexpress.com/h5/mtop.aliexpress.address.shipto.division.get/1.0/
  acs.youku.com/h5/mtop.youku.playlog.open.get/1.0/ adhouse.pro/wp-json admatic.com.tr/wp-json admixer.com/wp-json
  adtelligent.com/wp-json advangelists.com/wp-json advertising.com/wp-json airbnb-api.arkoselabs.com/fc/a/
  anchor.digitalocean.com/index.php/form/getForm api-js.mixpanel.com/engage/
  api-v3.tinypass.com/api/v3/conversion/logAutoMicroConversion api.bazaarvoice.com/data/batch.json
  api.bing.com/osjson.aspx api.braintreegateway.com/merchants/x/client_api/v1/payment_methods/credit_cards
  api.chartbeat.com/toppages/ api.cxense.com/profile/user/segment api.dailymotion.com/video/x5gv6be
  api.duckduckgo.com/ api.forismatic.com/api/1.0/ api.getdrip.com/client/forms/show api.github.com/search/code
  api.ipify.org/ api.livechatinc.com/v3.6/customer/action/get_dynamic_configuration api.m.jd.com/api
  api.map.baidu.com/api api.olark.com/2.0/visitors/z1nRAdDubyUjGyih018BZ0P04rBy00W3
  api.pinterest.com/v1/urls/count.json api.recurly.com/js/v1/engage/settings api.stackexchange.com/2.2/me
  api.swiftype.com/api/v1/public/engines/search.json api.tumblr.com/v2/blog/zoeappleseed.tumblr.com/posts/photo
  api.twitter.com/1/statuses/oembed.json api.usabilla.com/v2/feedback/c263014c1857.config
  api.wordpress.org/stats/plugin/1.0/ api.x.com/1/statuses/oembed.json apis.google.com/complete/search
  apis.google.com/js/x/api.js app-sjint.marketo.com/index.php/form/getKnownLead app.hushly.com/runtime/visitor
  app.link/_r appointlet.com/wp-json assets.guim.co.uk/polyfill.io/v3/polyfill.min.js
  assets.twitch.tv/eppo/api/flag-config/v1/config avada.io/wp-json bildirt.com/wp-json
  boards.greenhouse.io/uncacheable_attributes/presigned_fields bookmark.hatenaapis.com/count/entry
  buy.tinypass.com/api/v3/anon/template/loadTemplateContext c.y.qq.com/v8/fcg-bin/v8.fcg
  cas.criteo.com/delivery/0.1/napi.jsonp cdn.arkoselabs.com/fc/a/ client-api.arkoselabs.com/fc/a/
  client.crisp.chat/settings/website/x/ clientauthconfig.clients6.google.com/v1/clients
  clients6.google.com/drive/v2beta/files cloudinary.com/wp-json
  cloudusersettings-pa.clients6.google.com/v1alpha1/settings/CONSOLE_PINS/keys/CLOUD
  common.like.naver.com/v1/search/contents connectad.io/wp-json content.akamai.com/index.php/form/getForm
  content.googleapis.com/discovery/v1/apis count-server.sharethis.com/v2.0/get_counts ct.beslist.nl/ct_refresh
  cubepile.com/wp-json d.adroll.com/user_attrs
  d.la3-c2-ia5.salesforceliveagent.com/chat/rest/EmbeddedService/EmbeddedServiceConfig.jsonp dable.io/wp-json
  dblp.org/search/venue/api demandbase.com/wp-json demo.matomo.cloud/
  dev.virtualearth.net/REST/v1/Imagery/Metadata/Road dit.whatsapp.net/deidentified_telemetry
  documentation-resources.opendatasoft.com/api/datasets/1.0/doc-geonames-cities-5000/ dpm.demdex.net/id
  dreamwater.com.tr/wp-json drivefrontend-pa.clients6.google.com/v1/changes:getLargestChangeId
  dynamic.criteo.com/js/ld/s2s.js e.cquotient.com/recs/bflp-Wells/cart_recomender en.wikipedia.org/w/api.php
  eu.battle.net/support/update/json foremedia.net/wp-json
  forms.hsforms.com/embed/v3/form/1/00000000-0000-0000-0000-000000000000
  forms.hubspot.com/embed/v3/form/2059467/2e1a1b5b-27bb-447d-aac4-0b87c1e88fec g2.gumgum.com/hbid/imp
  geolocation.onetrust.com/cookieconsentpub/v1/geo/location/alert
  global.apis.naver.com/commentBox/cbox/web_neo_list_jsonp.json go.dev/blog/.json
  go.recordedfuture.com/index.php/form/getForm go.snyk.io/index.php/form/getForm google.com/complete/search
  graph.facebook.com/ graph.instagram.com/logging_client_events graph.whatsapp.net/wa_qpl_data
  gravatar.com/930fc2e7cd239606c398bff5b5fc12e7.json help.afterpay.com/sc/faye/
  iam.clients6.google.com/v1/projects/gen-lang-client-1/serviceAccounts id.cxense.com/public/user/id
  identitytoolkit.googleapis.com/v1/projects improvedigital.com/wp-json info.cloudflare.com//index.php/form/getForm
  info.elastic.co/index.php/form/getForm investor.coinbase.com/feed/People.svc/GetPeopleList ipinfo.io/
  itunes.apple.com/se/rss/toppodcasts/json jewelbetting.co/wp-json jquery.com/wp-json
  jsconfig.adsafeprotected.com/jsconfig/rjss/st/1/1/skeleton.js kampyle.com/wp-json
  kck3hlb9.dashlane.com/1/installerlog/create lghnh-mkt-prod1.campaign.adobe.com/lgh/at_seg_list.jssp
  libsyn.com/wp-json locate.pricespider.com/
  lptag.liveperson.net/lptag/api/account/1/configuration/applications/taglets/.jsonp makroo.com/wp-json
  mango.buzzfeed.com/polls/service/editorial/post maps-api-ssl.google.com/maps/api/js maps.google.com/maps/api/js
  maps.google.de/maps/api/js maps.google.lv/maps/api/js maps.google.ru/maps/api/js maps.googleapis.com/maps/api/js
  mc.yandex.ru/watch/9528925/1 monitoring.clients6.google.com/v3/projects/gen-lang-client-1/groups
  mouseflow.com/wp-json nominatim.openstreetmap.org/search oamssoqae.ieee.org/ieeevendorsso/ssocookievalidator
  okaccedo.com/wp-json okt.hackthebox.com/ping omtr2.partners.salesforce.com/id
  openexchangerates.org/api/latest.json openx.com/wp-json page.gitlab.com/index.php/form/getForm
  partner.googleadservices.com/gampad/cookie.js passport.baidu.com/channel/unicast
  polyfill-fastly.io/v3/polyfill.min.js polyfill.alicdn.com/v3/polyfill.min.js preply.com/wp-json
  pubads.g.doubleclick.net/gampad/ads public-api.wordpress.com/rest/v1/sites/en.blog.wordpress.com/posts/
  pubmatic.com/wp-json/wp/v2/posts/ query.fqtag.com/b r.skimresources.com/api/
  recs.algorecs.com/rrserver/api/engage/targeting recs.richrelevance.com/rrserver/api/personalize
  reklamstore.com/wp-json rentokil-domains.firebaseio.com/.json resultsmedia.com/wp-json
  ring.com/partials/consent/sv-SE/strings.json rtb0.doubleverify.com/verify.js s.fqtag.com/b
  sanalofisonline.com/wp-json search.yahoo.com/sugg/gossip/gossip-us-ura/
  secure.gravatar.com/930fc2e7cd239606c398bff5b5fc12e7.json server.ethicalads.io/api/v1/decision/
  sharethis.com/wp-json shop.samsung.com/br/_v/private/ng/p4v1/getCartCount smaato.com/wp-json
  social.invicti.com/ping social.yandex.ru/providers.jsonp soundcloud.com/oembed
  speller.yandex.net/services/spellservice.json/checkText srv.buysellads.com/ads/CEBICK3M.json
  srv.carbonads.net/ads/x.json sso.bytedance.com/watermark/
  storemapper-herokuapp-com.global.ssl.fastly.net/api/users/9223/stores.js
  streetviewpixels-pa.googleapis.com/v1/tile suggestqueries-clients6.youtube.com/complete/search
  support.zendesk.com/accounts/reminder sync.im-apps.net/imid/segment tagmanager.google.com/debug/api/vtinfo
  tebilisim.com/wp-json termly.io/wp-json thebrave.io/wp-json thiscanbeanything.zendesk.com/sc/faye/
  tlx.3lift.com/header/auction tr.snapchat.com/config/com/x.js track.consensus.app/track/
  translate-pa.googleapis.com/v1/supportedLanguages translate.google.com/translate_a/element.js
  translate.googleapis.com/$discovery/rest trustarc.com/wp-json typekit.com/api/v1/json/libraries/full
  ug.alibaba.com/api/ship/read uk.indeed.com/m/newjobs urs.pbs.org/redirect/1/ usercentrics.eu/wp-json
  vidyome.com/wp-json vimeo.com/api/v2/video/1006042481.json visitor-service.tealiumiq.com/northwesternmutual/main/q
  visualwebsiteoptimizer.com/wp-json/wp/v2/posts/ wordpress.org/wp-json/wp/v2/posts/
  wse.api.here.com/v8/findsequence2 www-api.ibm.com/search/typeahead/v1 www.abtasty.com/wp-json
  www.adpushup.com/wp-json www.altmetric.com/wp-json www.appointlet.com/wp-json www.bazaarvoice.com/wp-json
  www.bing.com/api/maps/mapcontrol www.blogger.com/feeds/8063678697117239807/posts/default www.cookiebot.com/wp-json
  www.criteo.com/wp-json www.demandbase.com/wp-json www.ecwid.com/wp-json www.google-analytics.com/debug/api/vtinfo
  www.google.com/complete/search www.googleapis.com/blogger/v3/blogs/1/posts/1 www.googleapis.com/books/v1/volumes
  www.googleapis.com/customsearch/v1 www.googletagmanager.com/debug/api/vtinfo www.indexexchange.com/wp-json
  www.ipinfo.io/ www.microsoft.com/en-us/research/wp-json www.paypal.com/checkoutnow/remembered
  www.paytr.com/wp-json www.readspeaker.com/wp-json www.reddit.com/.json www.reklamstore.com/wp-json
  www.sanalofisonline.com/wp-json www.sovrn.com/wp-json www.thebrave.io/wp-json www.vidyome.com/wp-json
  www.wildapricot.com/wp-json www.youtube.com/oembed yoast.com/wp-json
  yugiohmonstrosdeduelo.blogspot.com/feeds/posts/summary zhike.help.360.cn/api/v1/robotWindow
`);

/** Libraries that run code from the attributes of a page. */
export const gadgetUrls = words(`
  ajax.googleapis.com/ajax/libs/angularjs/1.8.3/angular.js apps.bdimg.com/libs/angular.js/1.4.6/angular.min.js
  assets.grubhub.com/libs/js/angular/1.8.3/angular.min.js cdn.bootcdn.net/ajax/libs/angular.js/1.8.3/angular.min.js
  cdn.bootcss.com/angular.js/1.8.3/angular.min.js cdn.jsdelivr.net/npm/angular@1.8.3/angular.min.js
  cdn.jsdelivr.net/npm/htmx.org cdn.staticfile.org/angular.js/1.8.3/angular.min.js
  cdn.syncfusion.com/js/assets/external/angular.min.js cdnjs.cloudflare.com/ajax/libs/alpinejs/3.10.5/cdn.min.js
  cdnjs.cloudflare.com/ajax/libs/angular.js/1.8.3/angular.js code.angularjs.org/1.8.2/angular.min.js
  d1xrp9zhb3ks3c.cloudfront.net/web/changessalon/node_modules/angular/angular.min.js
  gstatic.com/recaptcha/about/js/main.min.js i.ytimg.com/yts/jslib/angular.min-vfl8oYsy-.js
  kbcprod.service-now.com/scripts/angular_includes_1.5.11.jsx kendo.cdn.telerik.com/2015.2.805/js/angular.min.js
  m.media-amazon.com/images/I/81cx8O4at9L.js pages.nist.gov/opensource/js/angular.min.js
  resourceexplorer-ead9dsh0dvasgrar.b01.azurefd.net/explorercdn/angular1.6/angular.min.js
  romania.amazon.com/app/vendor.min.js s.yimg.jp/images/jpnews/cre/owned_media/v2/js/angular.js
  s.ytimg.com/yts/jslib/angular.min-vfl8oYsy-.js ssl.gstatic.com/fsn/angular_js-bundle1.js
  st3.zoom.us/static/6.2.7600/js/lib/angular.min.js
  static.parastorage.com/services/third-party/angularjs/1.4.5/angular.min.js
  statics.teams.cdn.office.net/hashed/0.2-angular-jquery.min-eee9041.js unpkg.com/angular@1.8.3/angular.min.js
  unpkg.com/htmx.org unpkg.com/hyperscript.org www.ancestrycdn.com/ui-static/lib/angular/1.2.3/angular.min.js
  www.google.com/recaptcha/about/js/main.min.js www.gstatic.com/recaptcha/about/js/main.min.js
  www.st.com/etc/clientlibs/st-search-cx/stangularjs.min.d9f5c8180af41b5cae710870b6b018fe.js
  www.yastat.net/s3/milab/js/angular.min.js www.yastatic.net/s3/milab/js/angular.min.js
  yandex.st/bootstrap/3.0.3/js/bootstrap.min.js yandex.st/jquery/1.8.2/jquery.min.js
  yastat.net/s3/milab/js/angular.min.js yastatic.net/s3/milab/js/angular.min.js
`);

/** They call one function of the page that the query names, without arguments. */
export const callingUrls = words(`
  apis.google.com/js/googleapis.proxy.js challenges.cloudflare.com/turnstile/v0/api.js
  commerce.coinbase.com/v1/checkout.js hcaptcha.com/1/api.js js.hcaptcha.com/1/api.js recaptcha.net/recaptcha/api.js
  smartcaptcha.yandexcloud.net/captcha.js widget.usersnap.com/load/d5abc654-0976-45b9-8074-fa5e721db433
  www.hcaptcha.com/1/api.js www.recaptcha.net/recaptcha/api.js
`);

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
