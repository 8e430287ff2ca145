import { FALLBACKS } from "./directives";
import { shown } from "./finding";
import { type CompiledPolicy, compile, type PolicyRequest } from "./matches";
import { findDirective, type ParsedDirective, type ParsedPolicy, parse, splitPolicies } from "./parse";
import { type RequestUrl, toRequestUrl, withScheme } from "./request-url";
import { type HostSource, parseSource } from "./source";
import { SourceList } from "./source-list";

const DIRECTIVE_OF = { script: "script-src-elem", connection: "connect-src" } as const;

/** A host source as it is written. */
interface Written extends HostSource {
  readonly text: string;
}

interface ReadList {
  readonly name: string;
  readonly sources: SourceList;
  /** By host; `*.` before it where the source has that. */
  readonly byHost: ReadonlyMap<string, readonly Written[]>;
}

/** Says of blocked requests what a person has to change in the policy to let one out. */
export class WhyBlocked {
  readonly #policies: readonly { readonly parsed: ParsedPolicy; readonly compiled: CompiledPolicy }[];
  readonly #lists = new Map<ParsedDirective, ReadList>();

  constructor(policy: string | ParsedPolicy) {
    const text = typeof policy === "string" ? policy : policy.text;
    this.#policies = splitPolicies(text).map((one) => ({ parsed: parse(one), compiled: compile(one) }));
  }

  /** One clause, like `no source of script-src names the host`. Never throws. */
  of(request: PolicyRequest): string {
    const url = toRequestUrl(request.url, withScheme(request.pageUrl)) ?? toRequestUrl(request.url);
    if (url === undefined) return "its URL cannot be read";
    const blocking = this.#policies.find(({ compiled }) => !compiled.allows(request));
    const directive =
      blocking && findDirective(blocking.parsed, FALLBACKS.get(DIRECTIVE_OF[request.kind]) ?? []);
    if (blocking === undefined || directive === undefined) return "nothing blocks it";
    const { name, sources, byHost } = this.#read(directive);
    if (request.kind === "script" && sources.isStrictDynamic)
      return `hosts do not count beside 'strict-dynamic' in ${name}`;
    if (sources.hasUrlHash) return `hosts do not count beside the hash of a URL in ${name}`;
    if (url.host === "") return `no source of ${name} names ${url.scheme}:`;
    const near = candidates(byHost, url);
    const [nearest] = near;
    if (nearest === undefined) return `no source of ${name} names the host`;
    const byPath = near.find(({ path = "/" }) =>
      blocking.compiled.allows({
        ...request,
        url: `${originOf(url)}${path.split("/").map(encodeURIComponent).join("/")}`,
      }),
    );
    if (byPath !== undefined) return `the path differs from ${shown(byPath.text)}`;
    return `the scheme or the port differs from ${shown(nearest.text)}`;
  }

  #read(directive: ParsedDirective): ReadList {
    const { name, values } = directive;
    const known = this.#lists.get(directive);
    if (known !== undefined) return known;
    const read = { name, sources: new SourceList(values), byHost: byHostOf(values) };
    this.#lists.set(directive, read);
    return read;
  }
}

/** The sources that name the host, those first whose path is most like that of the URL. */
function candidates(byHost: ReadList["byHost"], { host, path }: RequestUrl): readonly Written[] {
  // No name that resolves is longer; its ends would take quadratic time.
  const wider = [...host.slice(0, 255).matchAll(/\./g)].map(({ index }) => `*.${host.slice(index + 1)}`);
  return [host, ...wider, "*"]
    .flatMap((name) => byHost.get(name) ?? [])
    .map((source) => ({ source, like: sharedStart(source.path ?? "", path) }))
    .sort((a, b) => b.like - a.like)
    .map(({ source }) => source);
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

function originOf({ scheme, host, port }: RequestUrl): string {
  return `${scheme}://${host}${port === undefined ? "" : `:${port}`}`;
}

function byHostOf(values: readonly string[]): ReadonlyMap<string, readonly Written[]> {
  const found = new Map<string, Written[]>();
  for (const text of values) {
    const source = parseSource(text);
    if (source.kind !== "host") continue;
    const name = source.isWildcard ? (source.host === "" ? "*" : `*.${source.host}`) : source.host;
    const same = found.get(name);
    if (same === undefined) found.set(name, [{ ...source, text }]);
    else same.push({ ...source, text });
  }
  return found;
}
