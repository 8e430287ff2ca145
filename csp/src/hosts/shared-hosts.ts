/**
 * Hosts on which anyone can publish in a folder of their own, from the services' documentation, as of November 2026. (Services
 * that give each owner a host are in the Public Suffix List.) The first line of a group says what its hosts serve. Then come
 * the hosts (`*` means any region) and the forms of an owner's folder on them: a word in capitals means any name,
 * `PACKAGE@VERSION` a package with or without a scope, `N` a digit, `NUMBER` several digits. `!` marks a folder of the service
 * itself, which may precede the owner's folder.
 */
export const sharedHosts = `
every package of npm and every public repository of GitHub
cdn.jsdelivr.net fastly.jsdelivr.net gcore.jsdelivr.net testingcf.jsdelivr.net quantil.jsdelivr.net
originfastly.jsdelivr.net cdn.jsdmirror.com jsd.onmicrosoft.cn
/npm/PACKAGE@VERSION/ /gh/OWNER/REPOSITORY/ /wp/plugins/NAME/ /wp/themes/NAME/ /wp/p/NAME/ /wp/t/NAME/
esm.sh cdn.esm.sh esm.run
/PACKAGE@VERSION/ /gh/OWNER/REPOSITORY/ /pr/OWNER/REPOSITORY/ /jsr/SCOPE/NAME/ !vNUMBER !stable

every package of npm
unpkg.com npmcdn.com bundle.run dev.jspm.io jspm.dev cdn.pika.dev wzrd.in npm.elemecdn.com unpkg.zhimg.com
unpkg.luckincoffeecdn.com cdn.npmmirror.com /PACKAGE@VERSION/ !- !browse !packages !npm: !standalone
cdn.skypack.dev /PACKAGE@VERSION/ !- !pin !new
ga.jspm.io /npm:PACKAGE@VERSION/

everyone's modules
deno.land /x/MODULE@VERSION/

every public repository or gist
raw.githack.com rawcdn.githack.com gl.githack.com glcdn.githack.com bb.githack.com bbcdn.githack.com
gist.githack.com gistcdn.githack.com cdn.rawgit.com rawgit.com raw.githubusercontent.com
gist.githubusercontent.com gitcdn.link gitcdn.xyz /OWNER/REPOSITORY/ !repo !cdn

every public repository, and files of any site
cdn.statically.io cdn.staticaly.com /gh/OWNER/REPOSITORY/ /gl/OWNER/REPOSITORY/ /bb/OWNER/REPOSITORY/

everyone's buckets
s3.amazonaws.com s3.*.amazonaws.com s3-*.amazonaws.com s3.dualstack.*.amazonaws.com storage.googleapis.com
commondatastorage.googleapis.com storage.cloud.google.com storage.yandexcloud.net s3.wasabisys.com
s3.*.wasabisys.com *.digitaloceanspaces.com /BUCKET/
firebasestorage.googleapis.com /v0/b/BUCKET/
f*.backblazeb2.com /file/BUCKET/
s3.*.backblazeb2.com /BUCKET/
objectstorage.*.oraclecloud.com /n/NAMESPACE/b/BUCKET/

files that any shop and any app uploads
cdn.shopify.com /s/files/1/NNNN/NNNN/NNNN/ /s/files/1/NNNN/NNNN/t/ /extensions/NAME/ /shopifycloud/

files that any customer uploads
res.cloudinary.com ucarecdn.com cdn.glitch.global cdn.glitch.com cdn.glitch.me /CUSTOMER/
cdn2.hubspot.net f.hubspotusercontent*.net /hubfs/NUMBER/

files that any site or user uploads
cdn.prod.website-files.com assets.website-files.com assets-global.website-files.com uploads-ssl.webflow.com
global-uploads.webflow.com s.cdpn.io assets.codepen.io /SITE/

files that any site uploads
static1.squarespace.com images.squarespace-cdn.com /static/SITE/ /content/v1/SITE/
static.wixstatic.com video.wixstatic.com docs.wixstatic.com /media/THE_VERY_FILE.js

files that anyone shares
dl.dropboxusercontent.com /scl/fi/FILE/ /s/FILE/
ipfs.io dweb.link gateway.pinata.cloud /ipfs/CID/ /ipns/NAME/

files that anyone attaches to a message
cdn.discordapp.com media.discordapp.net /attachments/CHANNEL/MESSAGE/ /animations/ /assets/

everyone's scripts
script.google.com script.googleusercontent.com /macros/s/SCRIPT/

pages and scripts that anyone writes
web.archive.org codepen.io jsbin.com output.jsbin.com jsfiddle.net fiddle.jshell.net /THE/VERY/FILE.js
`;

const domains =
  "azure.com b-cdn.net codesandbox.io gcdn.co oraclecloud.com squarespace.com wixstatic.com hubspotusercontent-na1.net " +
  "hs-sites.com kxcdn.com aliyuncs.com oss-*.aliyuncs.com myqcloud.com cos.*.myqcloud.com";

/**
 * Matches the domains below which each customer has a host, although the Public Suffix List does not contain the domain. A `*`
 * means any region.
 */
export const customersDomains = new RegExp(
  `^(?:${domains.replaceAll(".", "\\.").replaceAll("*", "[a-z0-9-]+").replaceAll(" ", "|")})$`,
);
