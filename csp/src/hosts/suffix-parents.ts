/**
 * Domains below which the Public Suffix List names hosts of many owners, without naming the domain itself. A wildcard on
 * such a domain covers all of these hosts. Written by `npm run suffixes`, from the list in tldts.
 */
export const suffixParents: ReadonlySet<string> = new Set(
  `
  addr.tools akershus.no amazonaws.com amazonaws.com.cn amazoncognito.com amazonwebservices.com.cn
  amazonwebservices.eu amba.host aseinet.ne.jp atlassian-dev.net axarnet.cloud beebyte.io beebyteapp.io
  brendly.ba brendly.hr brendly.rs bubble.io buskerud.no canva.site canvasite.cn cdn77-secure.org cdn77.net
  cdn77.org cldmail.ru clever-cloud.com cloudflareanycast.net cloudflarecn.net cloudflareglobal.net
  cloudlets.com.au cloudplatform.fi cloudscale.ch code.com contentproxy9.cz cosidns.de crm.dev
  cs.amazonlightsail.com dappnode.io databricksapps.com databricksapps.us datadetect.com dogado.eu elastx.net
  emergentagent.com emf.camp encoway.cloud enscaled.us evennode.com evervault.app evervault.dev fastly.net
  fbsbx.com fedoraproject.org fin-ncloudstorage.com flow.ch forgerock.io funkfeuer.at gov-ncloudstorage.com
  grok.bot hedmark.no her.name his.name hooc.me hordaland.no hosted-by-previder.com hosteur.com hrsn.net
  hs-heilbronn.de ik-server.com interhostsolutions.be jelastic.cloud jelastic.com jelastic.vps-host.net
  jenv-aruba.cloud k2.cloud kuleuven.be lair.io layershift.co.uk linode.com linodeusercontent.com localcert.dev
  massivegrid.com massivegrid.net metacentrum.cz more-og-romsdal.no muni.cz mynetname.net mythic-beasts.com
  møre-og-romsdal.no nabu.casa ncloud.com ncloudstorage.com ncpstorage.com neen.it nftstorage.link
  noc.ruhr-uni-bochum.de nodeart.io nordland.no nospamproxy.com objectstorage.ch observableusercontent.com
  on.aws onstackit.cloud ortsinfo.at ostfold.no ovh.net party.eus platform.sh ply.gg prgmr.com
  project-study.com quickconnect.cn quickconnect.to railway.app rb-hosting.io rdpa.co reclaim.cloud render.com
  repost.aws resinstaging.io retrosnub.co.uk rit.edu sagemaker.aws sagemaker.com.cn sakurastorage.jp
  salesforce.com saveincloud.net scaleforce.com.cy scaleforce.net scrypted.io scw.cloud spawn.cc
  speedpartner.de srcf.net storacha.link storage.dev storageapi.dev tawk.email tawkto.email tb-hosting.com
  teckids.org telemark.no thingdust.io transip.me trendhosting.cloud typeform.com usgovcloudapi.net vestfold.no
  w3s.link wafaicloud.com webaccel.jp wiardweb.com windows.net xn--mre-og-romsdal-qqb.no xn--stfold-9xa.no
  østfold.no
`
    .trim()
    .split(/\s+/),
);
