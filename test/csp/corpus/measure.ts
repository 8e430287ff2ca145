import { compile, type Granularity, type Suggestion, suggest } from "../../../csp/src";
import { ownedDomain } from "../../../csp/src/hosts/anyone-publishes";
import { hostOf } from "../../../csp/src/impact/seen-item";
import { type Load, loadsAfter, type Site, seenOn, suggestedAt } from "./site";

/** Loads that a policy blocks or lets in during the weeks after its suggestion. */
export interface Outcome {
  readonly legitimate: number;
  readonly blocked: readonly Load[];
  /** Blocked loads whose host and domain the suggestion did not mention. */
  readonly unannounced: readonly Load[];
  readonly malicious: number;
  readonly letIn: readonly Load[];
}

export type Policy = Granularity | "plain list of hosts" | "exact URLs";

export function measureSite(site: Site, policy: Policy): Outcome {
  const { scripts, connections } = seenOn(site);
  const isPlain = policy === "plain list of hosts" || policy === "exact URLs";
  const suggestion = isPlain
    ? undefined
    : suggest(scripts, connections, { granularity: policy, now: suggestedAt });
  const compiled = compile(suggestion?.value ?? plain(site, policy));
  const after = loadsAfter(site);
  const isAllowed = ({ kind, url }: Load) => compiled.allows({ kind, url, pageUrl: site.page });
  const legitimate = after.filter(({ malice }) => malice === undefined);
  const malicious = after.filter(({ malice }) => malice !== undefined);
  const blocked = legitimate.filter((load) => !isAllowed(load));
  const announced = suggestion === undefined ? new Set<string>() : announcedBy(suggestion);
  return {
    legitimate: legitimate.length,
    blocked,
    unannounced: blocked.filter(({ url }) => !announced.has(nameOf(hostOf(url)))),
    malicious: malicious.length,
    letIn: malicious.filter(isAllowed),
  };
}

/** Returns the policy that a person would write from the list alone. */
function plain(site: Site, policy: Policy): string {
  const { scripts, connections } = seenOn(site);
  const write = (url: string) => (policy === "exact URLs" ? url.replace(/\?.*/, "") : new URL(url).origin);
  const listOf = (items: readonly { readonly url: string }[]) =>
    [...new Set(items.map(({ url }) => write(url)))].join(" ");
  return `script-src 'self' ${listOf(scripts)}; connect-src 'self' ${listOf(connections)}`;
}

/** Returns the domains, without their endings, that the suggestion leaves out or reports as likely to change. */
function announcedBy({ ofOneRelease, mayChange, excluded }: Suggestion): ReadonlySet<string> {
  const hosts = [
    ...[...ofOneRelease, ...mayChange].map((source) => source.replace(/^\w+:\/\//, "").replace(/[/:].*/, "")),
    ...excluded.map(({ item }) => hostOf(item.url)),
  ];
  return new Set(hosts.map(nameOf));
}

function nameOf(host: string): string {
  return (ownedDomain(host) ?? host).replace(/\..*/, "");
}

export function sumOf(outcomes: readonly Outcome[]) {
  const sum = (count: (one: Outcome) => number) => outcomes.reduce((all, one) => all + count(one), 0);
  const legitimate = sum((one) => one.legitimate);
  const percent = (count: number) => (100 * count) / legitimate;
  return {
    legitimate,
    malicious: sum((one) => one.malicious),
    blockedPercent: percent(sum(({ blocked }) => blocked.length)),
    unannouncedPercent: percent(sum(({ unannounced }) => unannounced.length)),
    letIn: sum(({ letIn }) => letIn.length),
  };
}
