import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A field in the answers to one operation, and the value that replaces the value of the service. */
export interface Poison {
  /** `GET /zones/{zone}/page_guard/policies`. */
  readonly operation: string;
  /** `result[].description`. A `*` at the end adds a field to the object; `value` is the name and the value of the field. */
  readonly path: string;
  readonly value: unknown;
}

/** An answer that the service itself never gives. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
}

/** Proxy between client and service that records every field of every answer, and changes the fields in `poisons`. */
export class Poisoner {
  /** Fields to change in the answers to all later requests. */
  poisons: readonly Poison[] = [];
  /** Factor by which every list of objects becomes longer. */
  times = 1;
  /** Additional headers of every answer. */
  headers: Readonly<Record<string, string>> = {};
  /** Answer to one operation that replaces the answer of the service. */
  refusal: (Refusal & Pick<Poison, "operation">) | undefined;
  /** Paths of all fields in the answers to each operation, with the types of their values. */
  readonly seen = new Map<string, Map<string, string>>();
  private readonly server: Server;

  private constructor(private readonly target: string) {
    this.server = createServer((request, response) => void this.pass(request, response));
  }

  static async before(target: string): Promise<Poisoner> {
    const poisoner = new Poisoner(target);
    await new Promise<void>((resolve) => poisoner.server.listen(0, "127.0.0.1", resolve));
    return poisoner;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${new URL(this.target).pathname}`;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization = "", "content-type": type } = request.headers;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const operation = operationOf(request);
    if (this.refusal?.operation === operation) {
      response.writeHead(this.refusal.status, { "content-type": "application/json", ...this.headers });
      response.end(this.refusal.body);
      return;
    }
    const answer = await fetch(new URL(request.url ?? "/", this.target), {
      method: request.method ?? "GET",
      headers: { authorization, ...(type !== undefined && { "content-type": type }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    response.writeHead(answer.status, { "content-type": "application/json", ...this.headers });
    response.end(text === "" ? text : JSON.stringify(this.changed(operation, JSON.parse(text))));
  }

  private changed(operation: string, body: unknown): unknown {
    const fields = this.seen.get(operation) ?? new Map();
    this.seen.set(operation, fields);
    for (const [path, type] of fieldsOf(body, "")) fields.set(path, type);
    const changed = this.poisons
      .filter((poison) => poison.operation === operation)
      .reduce((at, { path, value }) => put(at, path.split("."), value), body);
    return this.times > 1 ? multiplied(changed, this.times) : changed;
  }
}

function operationOf({ method, url = "" }: IncomingMessage): string {
  const { pathname } = new URL(url, "http://any");
  const path = pathname
    .slice(pathname.indexOf("/zones/"))
    .replace(/^\/zones\/[^/]+/, "/zones/{zone}")
    .replace(/\/[0-9a-f]{32}$/, "/{id}");
  return `${method} ${path}`;
}

/** Returns the paths and types of all values that are neither objects nor lists. */
function fieldsOf(value: unknown, path: string): [string, string][] {
  if (Array.isArray(value)) {
    return value.length === 0
      ? [[`${path}[]`, "none"]]
      : value.flatMap((entry) => fieldsOf(entry, `${path}[]`));
  }
  if (typeof value !== "object" || value === null) return [[path, typeof value]];
  return Object.entries(value).flatMap(([name, entry]) =>
    fieldsOf(entry, path === "" ? name : `${path}.${name}`),
  );
}

/** Repeats each object of a list, with a different id for each copy. */
function multiplied(value: unknown, times: number): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((entry: unknown) => {
      const inner = multiplied(entry, times);
      if (typeof inner !== "object" || inner === null || !("id" in inner)) return [inner];
      return Array.from({ length: times }, (_, copy) => ({
        ...inner,
        id: copy === 0 ? inner.id : otherId(copy),
      }));
    });
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, multiplied(entry, times)]));
}

function otherId(copy: number): string {
  return copy.toString(16).padStart(32, "0");
}

function put(at: unknown, [step = "", ...rest]: readonly string[], value: unknown): unknown {
  const name = step.replace(/(\[\])+$/, "");
  if (typeof at !== "object" || at === null) return at;
  const depth = (step.length - name.length) / 2;
  if (name !== "*" && !Object.hasOwn(at, name)) return at;
  const within = (inner: unknown, levels: number): unknown => {
    if (levels === 0) return rest.length === 0 ? value : put(inner, rest, value);
    if (!Array.isArray(inner)) return inner;
    return inner.length === 0 && rest.length === 0
      ? [value]
      : inner.map((entry) => within(entry, levels - 1));
  };
  if (name === "*") return { ...at, [String(value)]: value };
  return { ...at, [name]: within(Reflect.get(at, name), depth) };
}
