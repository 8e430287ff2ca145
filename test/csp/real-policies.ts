/**
 * Policies like those of sixty kinds of sites, from public knowledge of their headers: directives, keywords and hosts. As of
 * November 2026. Lists that repeat themselves are shortened.
 */
export const realPolicies: Readonly<Record<string, string>> = {
  "code hosting":
    "default-src 'none'; base-uri 'self'; child-src github.githubassets.com github.com/assets-cdn/worker/ gist.github.com/assets-cdn/worker/; connect-src 'self' uploads.github.com www.githubstatus.com collector.github.com api.github.com github-cloud.s3.amazonaws.com wss://alive.github.com; font-src github.githubassets.com; form-action 'self' github.com gist.github.com; frame-ancestors 'none'; frame-src viewscreen.githubusercontent.com; img-src 'self' data: blob: github.githubassets.com *.githubusercontent.com; manifest-src 'self'; media-src github.com user-images.githubusercontent.com; script-src github.githubassets.com; style-src 'unsafe-inline' github.githubassets.com; upgrade-insecure-requests; worker-src github.com/assets-cdn/worker/",
  "code hosting, second":
    "base-uri 'self'; child-src https://www.google.com/recaptcha/ https://www.recaptcha.net/ blob: 'self'; connect-src 'self' wss://gitlab.com https://sentry.gitlab.net https://snowplow.trx.gitlab.net; default-src 'self'; font-src 'self'; form-action 'self' https: http:; frame-ancestors 'self'; img-src 'self' data: blob: http: https:; object-src 'none'; script-src 'strict-dynamic' 'self' 'unsafe-inline' 'unsafe-eval' https://www.recaptcha.net https://apis.google.com 'nonce-8Zy2Ww=='; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:",
  "search engine":
    "object-src 'none'; base-uri 'self'; script-src 'nonce-x2FqKQ' 'strict-dynamic' 'report-sample' 'unsafe-eval' 'unsafe-inline' https: http:; report-uri https://csp.withgoogle.com/csp/gws/other",
  "search engine, private":
    "default-src 'none'; connect-src https://duckduckgo.com https://*.duckduckgo.com; manifest-src https://duckduckgo.com; media-src https://duckduckgo.com blob:; script-src blob: https://duckduckgo.com https://*.duckduckgo.com 'unsafe-inline' 'unsafe-eval'; font-src data: https://duckduckgo.com; img-src data: https://duckduckgo.com https://*.duckduckgo.com; style-src https://duckduckgo.com 'unsafe-inline'; object-src 'none'; worker-src blob:; child-src blob: https://duckduckgo.com; frame-src blob: https://duckduckgo.com; form-action https://duckduckgo.com; frame-ancestors 'self'; base-uri 'self'; block-all-mixed-content",
  "social network":
    "default-src data: blob: 'self' https://*.fbsbx.com *.facebook.com *.fbcdn.net; script-src *.facebook.com *.fbcdn.net *.google-analytics.com 'unsafe-inline' blob: data: 'self' 'unsafe-eval'; style-src data: blob: 'unsafe-inline' *; connect-src *.facebook.com wss://*.facebook.com:* *.fbcdn.net ws://localhost:* blob: 'self'; upgrade-insecure-requests",
  "short messages":
    "connect-src 'self' blob: https://api.x.com https://*.video.pscp.tv https://upload.twitter.com wss://*.pscp.tv; default-src 'self'; form-action 'self' https://twitter.com https://*.twitter.com; font-src 'self' https://*.twimg.com; frame-src 'self' https://twitter.com https://recaptcha.net/recaptcha/; img-src 'self' blob: data: https://*.twimg.com; manifest-src 'self'; media-src 'self' blob: https://*.twimg.com; object-src 'none'; script-src 'self' 'unsafe-inline' https://*.twimg.com https://recaptcha.net/recaptcha/ 'nonce-NTk3Yj'; style-src 'self' 'unsafe-inline' https://*.twimg.com; worker-src 'self' blob:; report-uri https://twitter.com/i/csp_report",
  "professional network":
    "default-src 'none'; connect-src 'self' wss://*.linkedin.com *.linkedin.com *.licdn.com; img-src data: blob: *; font-src data: *; frame-src 'self' *.linkedin.com lichat.azurewebsites.net; script-src 'self' 'unsafe-inline' 'unsafe-eval' static.licdn.com platform.linkedin.com; style-src 'self' 'unsafe-inline' static.licdn.com; media-src 'self' blob: *.licdn.com; manifest-src 'self'; worker-src 'self' blob: static.licdn.com; frame-ancestors 'self'; report-uri https://www.linkedin.com/platform-telemetry/csp",
  "file sharing":
    "base-uri 'self'; child-src https://www.dropbox.com/static/serviceworker/ blob:; connect-src https://* ws://127.0.0.1:*/ws blob: wss://dsimports.dropbox.com/; default-src https://www.dropbox.com/playlist/ blob:; font-src https://* data:; form-action https://docs.google.com/ 'self' https://*.dropbox.com/; frame-ancestors 'self'; frame-src https://* carousel: dbapi-6: itms-apps:; img-src https://* data: blob:; media-src https://* blob:; object-src 'self' https://cfl.dropboxstatic.com/static/; script-src 'unsafe-eval' 'inline-speculation-rules' https://www.dropbox.com/static/api/ https://cfl.dropboxstatic.com/static/ 'nonce-A5xPzw'; style-src https://* 'unsafe-inline' 'unsafe-eval'; worker-src https://www.dropbox.com/static/serviceworker/ blob:",
  "payment provider":
    "base-uri 'none'; connect-src 'self' https://api.stripe.com https://errors.stripe.com https://r.stripe.com; default-src 'none'; font-src 'self' https://b.stripecdn.com; form-action 'self' https://dashboard.stripe.com; frame-ancestors 'none'; frame-src 'self' https://js.stripe.com https://hooks.stripe.com; img-src 'self' data: https://images.stripeassets.com https://b.stripecdn.com; manifest-src 'self'; media-src 'self' https://videos.stripeassets.com; object-src 'none'; script-src 'self' https://js.stripe.com https://b.stripecdn.com; style-src 'self' 'unsafe-inline' https://b.stripecdn.com; worker-src 'self' blob:",
  "payment wallet":
    "default-src 'self' https://*.paypal.com https://*.paypalobjects.com; frame-src 'self' https://*.paypal.com; script-src 'nonce-s8iD' 'self' https://*.paypal.com https://*.paypalobjects.com 'unsafe-inline' 'unsafe-eval'; connect-src 'self' https://*.paypal.com https://*.paypalobjects.com https://*.qualtrics.com; style-src 'self' https://*.paypal.com 'unsafe-inline'; font-src 'self' https://*.paypalobjects.com data:; img-src 'self' https: data:; form-action 'self' https://*.paypal.com; base-uri 'self' https://*.paypal.com; object-src 'none'; frame-ancestors 'self'; block-all-mixed-content; report-uri https://www.paypal.com/csplog/api/log/csp",
  "shop platform": "block-all-mixed-content; frame-ancestors 'none'; upgrade-insecure-requests;",
  "shop, checkout":
    "default-src 'self'; script-src 'self' https://js.stripe.com https://www.googletagmanager.com https://www.google-analytics.com; connect-src 'self' https://api.stripe.com https://www.google-analytics.com; frame-src https://js.stripe.com https://hooks.stripe.com; img-src 'self' data: https://www.google-analytics.com; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
  "shop, classic":
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' https: data: blob:; frame-ancestors 'self'",
  "shop with many tags":
    "script-src 'self' 'unsafe-inline' 'unsafe-eval' *.google-analytics.com *.googletagmanager.com *.doubleclick.net *.criteo.com *.criteo.net *.hotjar.com connect.facebook.net bat.bing.com; img-src * data:; style-src 'self' 'unsafe-inline' fonts.googleapis.com; font-src 'self' fonts.gstatic.com data:; connect-src *; frame-src *",
  "shop of magento":
    "font-src *.gstatic.com data: 'self' 'unsafe-inline'; form-action geostag.cardinalcommerce.com 'self' 'unsafe-inline'; frame-ancestors 'self' 'unsafe-inline'; frame-src *.youtube.com www.paypal.com 'self' 'unsafe-inline'; img-src data: www.googleadservices.com *.paypal.com 'self' 'unsafe-inline'; script-src assets.adobedtm.com *.paypal.com www.googletagmanager.com 'self' 'unsafe-inline' 'unsafe-eval'; style-src *.adobe.com 'self' 'unsafe-inline'; object-src 'self' 'unsafe-inline'; default-src 'self' 'unsafe-inline' 'unsafe-eval'; base-uri 'self' 'unsafe-inline'; report-uri https://shop.example/csp",
  marketplace: "upgrade-insecure-requests; report-uri https://metrics.media-amazon.com/",
  auctions:
    "font-src 'self' https://*.ebaystatic.com data:; form-action https: 'self'; frame-ancestors 'self' https://*.ebay.com; img-src https: data: blob:; object-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval' https://*.ebaystatic.com https://*.ebay.com blob:; style-src 'self' 'unsafe-inline' https://*.ebaystatic.com",
  bank: "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; form-action 'self'; base-uri 'self'; object-src 'none'",
  "bank with tags":
    "default-src 'self' *.bank.example; script-src 'self' 'unsafe-inline' 'unsafe-eval' *.bank.example *.adobedtm.com *.demdex.net *.omtrdc.net tags.tiqcdn.com; style-src 'self' 'unsafe-inline' *.bank.example; img-src 'self' data: *.bank.example *.demdex.net; connect-src 'self' *.bank.example *.demdex.net *.omtrdc.net; frame-src 'self' *.bank.example *.demdex.net; object-src 'none'; frame-ancestors 'self' *.bank.example",
  "bank, old application":
    "default-src 'self' http://intranet.bank.example; frame-ancestors 'self'; script-src 'self' 'unsafe-eval'",
  "bank, with X-headers":
    "default-src https:; script-src https: 'unsafe-inline'; style-src https: 'unsafe-inline'; img-src https: data:",
  insurance:
    "default-src 'self'; script-src 'self' 'unsafe-inline' *.usercentrics.eu *.googletagmanager.com; connect-src 'self' *.usercentrics.eu region1.google-analytics.com; img-src 'self' data: *.usercentrics.eu; style-src 'self' 'unsafe-inline'; frame-src 'self' *.youtube-nocookie.com; base-uri 'self'; form-action 'self'; frame-ancestors 'self'; object-src 'none'",
  broker:
    "default-src 'self' https:; connect-src 'self' https: wss:; script-src 'self' 'sha256-V2kaaafImTjn8RQTWZmF4IfGfQ7Qsqsw9GWaFjzFNPg=' https://cdn.broker.example; object-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  "government portal":
    "default-src 'self'; img-src 'self' data: *.dev.gov.example www.google-analytics.com; script-src 'self' *.google-analytics.com *.googletagmanager.com 'nonce-abc' ; style-src 'self'; font-src 'self'; connect-src 'self' *.google-analytics.com; frame-src 'self' www.youtube.com www.youtube-nocookie.com; object-src 'none'; frame-ancestors 'none'",
  "town hall": "default-src * 'unsafe-inline' 'unsafe-eval' data: blob:;",
  "tax office":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; upgrade-insecure-requests",
  university:
    "default-src 'self' *.uni.example; script-src 'self' 'unsafe-inline' 'unsafe-eval' *.uni.example cdn.jsdelivr.net cdnjs.cloudflare.com; style-src 'self' 'unsafe-inline' cdn.jsdelivr.net; img-src * data:; frame-ancestors 'self' *.uni.example",
  newspaper:
    "default-src data: 'unsafe-inline' 'unsafe-eval' https:; script-src data: 'unsafe-inline' 'unsafe-eval' https: blob:; style-src data: 'unsafe-inline' https:; img-src data: https: blob:; font-src data: https:; connect-src https: wss: blob:; media-src data: https: blob:; object-src https:; child-src https: data: blob:; form-action https:; report-uri https://csp.news.example",
  "newspaper, upgrade only": "upgrade-insecure-requests",
  magazine: "upgrade-insecure-requests; block-all-mixed-content; frame-ancestors 'self' *.magazine.example",
  "public broadcaster":
    "default-src 'self' *.bbci.co.uk *.bbc.co.uk; script-src 'self' 'unsafe-inline' *.bbci.co.uk *.bbc.co.uk *.chartbeat.com; img-src 'self' data: *.bbci.co.uk *.bbc.co.uk; style-src 'self' 'unsafe-inline' *.bbci.co.uk; connect-src 'self' *.bbc.co.uk *.bbci.co.uk *.chartbeat.net; frame-src 'self' *.bbc.co.uk; object-src 'none'",
  encyclopedia:
    "script-src 'unsafe-eval' blob: 'self' meta.wikimedia.org *.wikimedia.org *.wikipedia.org *.wikidata.org 'unsafe-inline' login.wikimedia.org; default-src 'self' data: blob: upload.wikimedia.org https://commons.wikimedia.org *.wikimedia.org *.wikipedia.org; style-src 'self' data: blob: *.wikimedia.org *.wikipedia.org 'unsafe-inline'; object-src 'none'; report-uri /w/api.php?action=cspreport&format=json",
  "developer documentation":
    "default-src 'self'; script-src 'report-sample' 'self' 'wasm-unsafe-eval' https://www.google-analytics.com/analytics.js https://www.googletagmanager.com/gtag/js js.stripe.com 'sha256-EehWlTYp7Bqy57gDeQttaWKp0ukTTEUKGP44h8GVeik='; script-src-elem 'report-sample' 'self' https://www.googletagmanager.com/gtag/js js.stripe.com; style-src 'report-sample' 'self' 'unsafe-inline'; object-src 'none'; base-uri 'self'; connect-src 'self' api.stripe.com; font-src 'self'; frame-src 'self' https://interactive.example js.stripe.com; img-src 'self' data: *.githubusercontent.com; manifest-src 'self'; media-src 'self'; worker-src 'self'",
  "questions and answers": "upgrade-insecure-requests; frame-ancestors 'self' https://stackexchange.com",
  "package registry":
    "connect-src 'self' https://api.github.com https://*.google-analytics.com; default-src 'none'; font-src 'self' fonts.gstatic.com; form-action 'self' https://checkout.stripe.com; frame-ancestors 'none'; frame-src 'none'; img-src 'self' https://pypi-camo.freetls.fastly.net/ *.fastly-insights.com; script-src 'self' https://analytics.python.org *.fastly-insights.com 'sha256-U3hKDidudIaxBDEzwGJApJgPEf2mWk6cfMWghrAa6i0='; style-src 'self' fonts.googleapis.com 'sha256-2YHqZokjiizkHi1Zt+6ar0XJ0OeEy/egBnlm+MDMtrM='; worker-src *.fastly-insights.com",
  "package registry, second":
    "default-src 'self'; connect-src 'self' https://static.packages.example https://packages.example; script-src 'self' 'unsafe-eval' 'sha256-n1+bb38E05DLvKOMwbO+zKp0vAKZmmPGTNGqrUVzAcQ='; style-src 'self' 'unsafe-inline' https://code.cdn.mozilla.net; font-src https://code.cdn.mozilla.net; img-src *; object-src 'none'",
  "chat application":
    "default-src 'none'; script-src 'self' 'unsafe-eval' 'unsafe-inline' https://a.slack-edge.com https://js.stripe.com; connect-src 'self' https: wss:; style-src 'self' 'unsafe-inline' https://a.slack-edge.com; img-src https: data: blob:; font-src https: data:; media-src https: blob:; frame-src https:; worker-src 'self' blob:; object-src 'self'; frame-ancestors 'self'",
  "voice chat":
    "default-src 'self' https://o64374.ingest.sentry.io; script-src 'self' 'unsafe-eval' 'unsafe-inline' 'nonce-MTgx' https://cdn.discordapp.com/animations/ https://www.gstatic.com/recaptcha/ https://recaptcha.net/recaptcha/ https://*.hcaptcha.com https://hcaptcha.com; style-src 'self' 'unsafe-inline' https://cdn.discordapp.com; img-src 'self' blob: data: https://*.discordapp.net https://*.discordapp.com; font-src 'self' https://fonts.gstatic.com; connect-src 'self' https://*.discord.com wss://*.discord.gg data:; media-src 'self' blob: https://*.discordapp.net; frame-src https://*.hcaptcha.com https://www.youtube.com/embed/; child-src 'self' blob:; prefetch-src 'self'",
  "video calls":
    "default-src https:; style-src https: 'unsafe-inline'; script-src https: 'unsafe-inline' 'unsafe-eval' blob:; img-src https: data: blob:; connect-src https: wss:; worker-src blob: 'self'; media-src https: blob:; frame-ancestors 'none'",
  "video streaming":
    "base-uri 'self'; default-src 'self' https: 'unsafe-inline' 'unsafe-eval' data: blob:; font-src data: https:; img-src data: https:; object-src 'none'; media-src https: blob:; require-trusted-types-for 'script'",
  music:
    "script-src 'self' 'unsafe-eval' blob: open.spotifycdn.com open-review.spotifycdn.com www.google-analytics.com www.googletagmanager.com 'sha256-WfsTi7oVogdF9vq5d14s2birjvCglqWF842fyHhzoNw=' 'sha256-KRzjHxCdT8icNaDOqPBdY0AlKiIh5F8r4bnbe1PQwss='; frame-ancestors 'self'",
  "project tracker":
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' *.atl-paas.net *.atlassian.com https://js.stripe.com; style-src 'self' 'unsafe-inline' *.atl-paas.net; img-src 'self' data: https:; connect-src 'self' *.atlassian.com *.atl-paas.net wss://*.atlassian.com; frame-ancestors 'self' *.atlassian.net; report-uri https://web-security-reports.services.atlassian.com/csp-report/x",
  "notes application":
    "script-src 'self' 'unsafe-inline' 'unsafe-eval' https://gist.github.com https://apis.google.com https://js.intercomcdn.com https://widget.intercom.io https://cdn.segment.com; connect-src 'self' data: blob: https: wss://*.notion.so; font-src 'self' data: https:; img-src 'self' data: blob: https:; style-src 'self' 'unsafe-inline' https:; frame-src https: http:; media-src https: http: file:",
  "customer relations":
    "default-src 'self'; connect-src 'self' https://*.salesforce.com https://*.force.com; font-src 'self' data: https:; frame-src 'self' https://*.force.com; img-src 'self' data: blob: https:; script-src 'self' 'unsafe-inline' 'unsafe-eval' https://*.visualforce.com https://ssl.gstatic.com/accessibility/; style-src 'self' 'unsafe-inline' https://*.visualforce.com; object-src 'self' www.salesforce.com; upgrade-insecure-requests; frame-ancestors 'self'",
  "help desk":
    "default-src 'self'; script-src 'self' 'nonce-5cH' https://static.zdassets.com https://ekr.zdassets.com; connect-src 'self' https://*.zendesk.com wss://*.zopim.com; img-src 'self' data: https:; style-src 'self' 'unsafe-inline' https://static.zdassets.com; frame-ancestors 'self'; object-src 'none'; base-uri 'self'",
  "single-page application":
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self' https://api.app.example wss://live.app.example https://*.ingest.sentry.io; img-src 'self' data: blob: https://*.s3.amazonaws.com; font-src 'self' https://fonts.gstatic.com; frame-ancestors 'none'; base-uri 'self'; form-action 'self'; object-src 'none'",
  "application from a CDN":
    "default-src 'self'; script-src 'self' https://unpkg.com https://cdn.jsdelivr.net/npm/vue@3/ https://cdnjs.cloudflare.com; style-src 'self' https://cdn.jsdelivr.net; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "application with polyfill":
    "script-src 'self' https://polyfill.io https://cdn.polyfill.io/v3/; object-src 'none'; base-uri 'none'",
  "maps application":
    "default-src 'self'; script-src 'self' https://maps.googleapis.com https://maps.gstatic.com; img-src 'self' data: https://*.tile.openstreetmap.org https://*.googleapis.com https://*.gstatic.com; style-src 'self' 'unsafe-inline' https://fonts.googleapis.com; connect-src 'self' https://maps.googleapis.com; worker-src blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'",
  "website builder": "default-src 'self' https: data: blob: 'unsafe-inline' 'unsafe-eval'; frame-ancestors *",
  "blog of wordpress": "upgrade-insecure-requests; default-src https: 'unsafe-inline' 'unsafe-eval' data:",
  "blog, strict":
    "default-src 'none'; script-src 'self' 'sha256-4RS22DYeB7U14dra4KcQYxmwt5HkOInieXK1NUMBmQI='; style-src 'self'; img-src 'self' https:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; upgrade-insecure-requests; report-to default",
  "blog, copied with quotes": "default-src “self”; script-src ‘self’ https://www.google-analytics.com;",
  "policy without quotes": "default-src self; script-src self unsafe-inline; img-src *",
  "policy in one directive": "default-src 'self', script-src 'self' https://cdn.example.com",
  "policy without semicolons":
    "default-src 'self' script-src 'self' https://cdn.example.com style-src 'self'",
  "policy with header name": "Content-Security-Policy: default-src 'self'; script-src 'self'",
  "policy with a typo":
    "default-src 'self'; scrpit-src 'self' https://cdn.example.com; object-src 'none'; base-uri 'none'",
  "policy with wrong wildcards":
    "default-src 'self'; script-src 'self' https://cdn*.example.com *example.com https://a.example/*.js; object-src 'none'",
  "policy that says things twice":
    "default-src 'self'; script-src 'self' https://cdn.example.com cdn.example.com *.example.com; script-src 'self'; object-src 'none' 'self'",
  "health portal":
    "default-src 'self'; script-src 'self' https://cdn.health.example/js/app.js?v=3; img-src 'self'; connect-src 'self' http://api.health.example; frame-src 10.0.0.5; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'",
};
