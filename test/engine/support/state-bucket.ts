import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { crc32 } from "node:zlib";

/** The role of a key: a reader may do `s3:ListBucket` and `s3:GetObject`, a writer may also write. */
export type Role = "reader" | "writer";

/** An S3 bucket for states, and the service that issues its keys, on loopback. */
export interface StateBucket {
  /** The value of `PULUMI_BACKEND_URL`. */
  readonly url: string;
  /** Requests that were refused because the key does not allow them. */
  readonly denied: string[];
  /** Variables with a key of this role, as a login sets them. */
  keysOf(role: Role): NodeJS.ProcessEnv;
  /** Variables with which a job can log in. */
  readonly logins: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

const name = "states";
const keyOf = (role: Role): string => `AKIA-${role}`;

export async function startStateBucket(): Promise<StateBucket> {
  const objects = new Map<string, Buffer>();
  const denied: string[] = [];
  const server = createServer((request, response) => {
    void handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "" } = request;
    const url = new URL(request.url ?? "/", "http://bucket");
    const body = await buffer(request);
    if (url.pathname === "/") {
      const keys = login(new URLSearchParams(body.toString()));
      return keys === undefined ? refuse(response, 403, "AccessDenied") : void response.end(keys);
    }
    const key = decodeURIComponent(url.pathname.slice(name.length + 2));
    const isRead = method === "GET" || method === "HEAD";
    const credential = /Credential=AKIA-(\w+)\//.exec(request.headers.authorization ?? "")?.[1];
    if (credential !== "writer" && !(credential === "reader" && isRead)) {
      denied.push(`${credential} ${method} ${key}`);
      return refuse(response, 403, "AccessDenied");
    }
    if (method === "PUT") {
      const source = request.headers["x-amz-copy-source"];
      const from = decodeURIComponent(String(source ?? "")).replace(`${name}/`, "");
      objects.set(key, source === undefined ? strip(request, body) : (objects.get(from) ?? Buffer.alloc(0)));
      const tag = etag(objects.get(key));
      response.setHeader("etag", tag);
      const copied = `<CopyObjectResult><ETag>${tag}</ETag></CopyObjectResult>`;
      return void response.end(source === undefined ? "" : copied);
    }
    if (method === "DELETE") {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    if (key === "") return void response.end(list(url.searchParams));
    const found = objects.get(key);
    if (found === undefined) return refuse(response, 404, "NoSuchKey");
    response.writeHead(200, {
      etag: etag(found),
      "x-amz-checksum-crc32": checksum(found),
      "content-length": found.length,
      "last-modified": new Date(0).toUTCString(),
    });
    response.end(method === "HEAD" ? undefined : found);
  }

  function list(query: URLSearchParams): string {
    const prefix = query.get("prefix") ?? "";
    const delimiter = query.get("delimiter") ?? "";
    const folders = new Set<string>();
    const files: string[] = [];
    for (const key of [...objects.keys()].sort()) {
      if (!key.startsWith(prefix)) continue;
      const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
      if (end < 0) files.push(key);
      else folders.add(key.slice(0, end + 1));
    }
    const contents = files.map((key) => {
      const object = objects.get(key);
      return `<Contents><Key>${key}</Key><Size>${object?.length}</Size><ETag>${etag(object)}</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`;
    });
    const prefixes = [...folders].map((name) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`);
    return `<ListBucketResult><Name>${name}</Name><IsTruncated>false</IsTruncated>${contents.join("")}${prefixes.join("")}</ListBucketResult>`;
  }

  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `s3://${name}?endpoint=${origin}&s3ForcePathStyle=true&region=eu-central-1`,
    denied,
    keysOf: (role) => ({ AWS_ACCESS_KEY_ID: keyOf(role), AWS_SECRET_ACCESS_KEY: "of the tests" }),
    logins: { AWS_ENDPOINT_URL_STS: origin, AWS_REGION: "eu-central-1", AWS_EC2_METADATA_DISABLED: "true" },
    async stop() {
      server.close().closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Answers AssumeRoleWithWebIdentity: exchanges a token of the forge for the keys of a role. */
function login(asked: URLSearchParams): string | undefined {
  const role: Role = asked.get("RoleArn")?.endsWith("writer") === true ? "writer" : "reader";
  if (!asked.get("WebIdentityToken")?.includes(role)) return undefined;
  return `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${keyOf(role)}</AccessKeyId><SecretAccessKey>x</SecretAccessKey><SessionToken>x</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;
}

/** Removes the frames in which a body with a checksum at its end is sent. */
function strip({ headers }: IncomingMessage, body: Buffer): Buffer {
  if (headers["content-encoding"] !== "aws-chunked") return body;
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = body.indexOf("\r\n", at);
    const size = Number.parseInt(body.toString("latin1", at, line), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(body.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

function checksum(object: Buffer): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(object));
  return bytes.toString("base64");
}

function etag(object: Buffer = Buffer.alloc(0)): string {
  return `"${createHash("md5").update(object).digest("hex")}"`;
}
