/** A host on which anyone can publish, in a folder of their own. */
export interface SharedHosts {
  readonly hosts: readonly string[];
  /** Completes "HOST serves …". */
  readonly serves: string;
  /** The narrowest folder that is one owner's, of the paths that have one. */
  readonly own: RegExp;
  /** How such a folder is written. */
  readonly example: string;
}

const packageFolder = "(?:@[^/]+/)?[^/]+/";

/**
 * A folder of one owner, below a folder of the service's own where one of `services` is: such a folder alone serves
 * everything, so it is never taken for an owner's.
 */
function ownBelow(services: string, folder: string): RegExp {
  return new RegExp(`^/(?:(?:${services})/)?(?!(?:${services})/)${folder}`);
}

/** By reason. What the Public Suffix List knows, where each owner has a host, is not in here. */
export const sharedHosts: readonly SharedHosts[] = [
  {
    hosts: [
      ...["cdn.jsdelivr.net", "fastly.jsdelivr.net", "gcore.jsdelivr.net", "testingcf.jsdelivr.net"],
      ...["quantil.jsdelivr.net", "originfastly.jsdelivr.net", "cdn.jsdmirror.com", "jsd.onmicrosoft.cn"],
    ],
    serves: "every package of npm and every public repository of GitHub",
    own: new RegExp(`^/(?:npm/${packageFolder}|gh/[^/]+/[^/]+/|wp/(?:plugins|themes|p|t)/[^/]+/)`),
    example: "/npm/PACKAGE@VERSION/",
  },
  {
    hosts: [
      ...["unpkg.com", "npmcdn.com", "bundle.run", "dev.jspm.io", "jspm.dev", "cdn.pika.dev", "wzrd.in"],
      ...["npm.elemecdn.com", "unpkg.zhimg.com", "unpkg.luckincoffeecdn.com", "cdn.npmmirror.com"],
    ],
    serves: "every package of npm",
    own: ownBelow("-|browse|packages|npm:|standalone", packageFolder),
    example: "/PACKAGE@VERSION/",
  },
  {
    hosts: ["esm.sh", "cdn.esm.sh", "esm.run"],
    serves: "every package of npm and every public repository of GitHub",
    own: ownBelow(
      "v\\d+|stable",
      `(?:(?:gh|pr)/[^/]+/[^/]+/|jsr/@[^/]+/[^/]+/|(?!(?:gh|pr|jsr)/)\\*?${packageFolder})`,
    ),
    example: "/PACKAGE@VERSION/",
  },
  {
    hosts: ["cdn.skypack.dev"],
    serves: "every package of npm",
    own: ownBelow("-|pin|new", packageFolder),
    example: "/-/PACKAGE@VERSION/",
  },
  {
    hosts: ["ga.jspm.io"],
    serves: "every package of npm",
    own: new RegExp(`^/npm:${packageFolder}`),
    example: "/npm:PACKAGE@VERSION/",
  },
  {
    hosts: ["deno.land"],
    serves: "everyone's modules",
    own: /^\/x\/[^/]+\//,
    example: "/x/MODULE@VERSION/",
  },
  {
    hosts: [
      ...["raw.githack.com", "rawcdn.githack.com", "gl.githack.com", "glcdn.githack.com", "bb.githack.com"],
      ...["bbcdn.githack.com", "gist.githack.com", "gistcdn.githack.com", "cdn.rawgit.com", "rawgit.com"],
      ...["raw.githubusercontent.com", "gist.githubusercontent.com", "gitcdn.link", "gitcdn.xyz"],
    ],
    serves: "every public repository or gist",
    own: ownBelow("repo|cdn", "[^/]+/[^/]+/"),
    example: "/OWNER/REPOSITORY/",
  },
  {
    hosts: ["cdn.statically.io", "cdn.staticaly.com"],
    serves: "every public repository, and files of any site",
    own: /^\/(?:gh|gl|bb)\/[^/]+\/[^/]+\//,
    example: "/gh/OWNER/REPOSITORY/",
  },
  {
    hosts: [
      ...["s3.amazonaws.com", "storage.googleapis.com", "commondatastorage.googleapis.com"],
      ...["storage.cloud.google.com", "storage.yandexcloud.net", "s3.wasabisys.com"],
    ],
    serves: "everyone's buckets",
    own: /^\/[^/]+\//,
    example: "/BUCKET/",
  },
  {
    hosts: ["firebasestorage.googleapis.com"],
    serves: "everyone's buckets",
    own: /^\/v0\/b\/[^/]+\//,
    example: "/v0/b/BUCKET/",
  },
  {
    hosts: ["cdn.shopify.com"],
    serves: "files that any shop and any app uploads",
    own: /^\/(?:s\/files\/\d+\/(?:\d{4}\/){2}(?:\d{4}\/|t\/)|extensions\/[^/]+\/|shopifycloud\/)/,
    example: "/s/files/1/THE/NUMBERS/OF/THE/SHOP/",
  },
  {
    hosts: ["res.cloudinary.com", "ucarecdn.com", "cdn.glitch.global", "cdn.glitch.com", "cdn.glitch.me"],
    serves: "files that any customer uploads",
    own: /^\/[^/]+\//,
    example: "/CUSTOMER/",
  },
  {
    hosts: [
      ...["cdn.prod.website-files.com", "assets.website-files.com", "assets-global.website-files.com"],
      ...["uploads-ssl.webflow.com", "global-uploads.webflow.com", "s.cdpn.io", "assets.codepen.io"],
    ],
    serves: "files that any site or user uploads",
    own: /^\/[^/]+\//,
    example: "/SITE/",
  },
  {
    hosts: ["static1.squarespace.com", "images.squarespace-cdn.com"],
    serves: "files that any site uploads",
    own: /^\/(?:static|content\/v1)\/[^/]+\//,
    example: "/static/SITE/",
  },
  {
    hosts: ["static.wixstatic.com", "video.wixstatic.com", "docs.wixstatic.com"],
    serves: "files that any site uploads",
    // A file's name has the id of its site, and no folder has.
    own: /(?!)/,
    example: "/media/THE_VERY_FILE.js",
  },
  {
    hosts: ["cdn2.hubspot.net", "f.hubspotusercontent00.net", "f.hubspotusercontent-na1.net"],
    serves: "files that any customer uploads",
    own: /^\/hubfs\/\d+\//,
    example: "/hubfs/CUSTOMER/",
  },
  {
    hosts: ["dl.dropboxusercontent.com"],
    serves: "files that anyone shares",
    own: /^\/(?:s|scl\/fi)\/[^/]+\//,
    example: "/scl/fi/FILE/",
  },
  {
    hosts: ["cdn.discordapp.com", "media.discordapp.net"],
    serves: "files that anyone attaches to a message",
    own: /^\/(?:attachments\/[^/]+\/[^/]+|animations|assets)\//,
    example: "/attachments/CHANNEL/MESSAGE/",
  },
  {
    hosts: ["script.google.com", "script.googleusercontent.com"],
    serves: "everyone's scripts",
    own: /^\/macros\/s\/[^/]+\//,
    example: "/macros/s/SCRIPT/",
  },
  {
    hosts: [
      "web.archive.org",
      "codepen.io",
      "jsbin.com",
      "output.jsbin.com",
      "jsfiddle.net",
      "fiddle.jshell.net",
    ],
    serves: "pages and scripts that anyone writes",
    // No folder has a single owner.
    own: /(?!)/,
    example: "/THE/VERY/FILE.js",
  },
];

/** Buckets by path, of which each region has a host. */
export const regionalBuckets: readonly { readonly host: RegExp; readonly own: RegExp }[] = [
  { host: /^s3[.-](?:dualstack\.)?[a-z]{2}-[a-z-]+-\d\.amazonaws\.com$/, own: /^\/[^/]+\// },
  { host: /^s3\.[a-z0-9-]+\.wasabisys\.com$/, own: /^\/[^/]+\// },
  { host: /^[a-z]{3}\d\.digitaloceanspaces\.com$/, own: /^\/[^/]+\// },
  { host: /^f\d{3}\.backblazeb2\.com$/, own: /^\/file\/[^/]+\// },
  { host: /^f\.hubspotusercontent\d\d\.net$/, own: /^\/hubfs\/\d+\// },
  { host: /^objectstorage\.[a-z0-9-]+\.oraclecloud\.com$/, own: /^\/n\/[^/]+\/b\/[^/]+\// },
];

/** Where each customer has a host, and the Public Suffix List does not say so. */
export const customersDomains: ReadonlySet<string> = new Set([
  ...["azure.com", "b-cdn.net", "codesandbox.io", "gcdn.co", "oraclecloud.com", "squarespace.com"],
  ...["wixstatic.com", "hubspotusercontent-na1.net", "hs-sites.com"],
]);
