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

/** By reason. What the Public Suffix List knows, where each owner has a host, is not in here. */
export const sharedHosts: readonly SharedHosts[] = [
  {
    hosts: ["cdn.jsdelivr.net", "fastly.jsdelivr.net", "gcore.jsdelivr.net", "testingcf.jsdelivr.net"],
    serves: "every package of npm and every public repository of GitHub",
    own: new RegExp(`^/(?:npm/${packageFolder}|gh/[^/]+/[^/]+/|wp/(?:plugins|themes|p|t)/[^/]+/)`),
    example: "/npm/PACKAGE@VERSION/",
  },
  {
    hosts: ["unpkg.com", "npmcdn.com", "bundle.run", "dev.jspm.io", "jspm.dev", "cdn.pika.dev", "wzrd.in"],
    serves: "every package of npm",
    own: new RegExp(`^/${packageFolder}`),
    example: "/PACKAGE@VERSION/",
  },
  {
    hosts: ["esm.sh", "cdn.esm.sh", "esm.run"],
    serves: "every package of npm and every public repository of GitHub",
    own: new RegExp(`^/(?:v\\d+/|stable/)?(?:gh/[^/]+/[^/]+/|pr/[^/]+/[^/]+/|(?!gh/|pr/)${packageFolder})`),
    example: "/PACKAGE@VERSION/",
  },
  {
    hosts: ["cdn.skypack.dev"],
    serves: "every package of npm",
    own: new RegExp(`^/(?:-/|pin/)?${packageFolder}`),
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
    own: /^\/(?:repo\/|cdn\/)?[^/]+\/[^/]+\//,
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
    hosts: ["dl.dropboxusercontent.com"],
    serves: "files that anyone shares",
    own: /^\/(?:s|scl\/fi)\/[^/]+\//,
    example: "/scl/fi/FILE/",
  },
  {
    hosts: ["cdn.discordapp.com", "media.discordapp.net"],
    serves: "files that anyone attaches to a message",
    own: /^\/attachments\/[^/]+\/[^/]+\//,
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
  { host: /^objectstorage\.[a-z0-9-]+\.oraclecloud\.com$/, own: /^\/n\/[^/]+\/b\/[^/]+\// },
];

/** Of these the Public Suffix List names hosts at many depths, and not what is above them. */
export const parentsOfSuffixes: readonly string[] = [
  "amazonaws.com",
  "windows.net",
  "core.windows.net",
  "azure.com",
  "digitaloceanspaces.com",
  "oraclecloud.com",
];
