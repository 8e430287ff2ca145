import assert from "node:assert/strict";
import { loadLibrary, structOf } from "../../../provider/src/internals/provider-library";
import {
  type ProviderCalls,
  type ServedResource,
  serveProvider,
} from "../../../provider/src/internals/provider-server";

const library = loadLibrary();

/** A provider of which a test says what it needs; all else must not be asked. */
function provider(calls: Asked): ProviderCalls {
  const never = () => assert.fail("this was not to be asked");
  const resource = { check: never, diff: never, create: never, read: never, update: never, delete: never };
  return {
    version: "1.2.3",
    schema: never,
    checkConfig: never,
    configure: never,
    resource: () => ({ ...resource, ...calls }),
    invoke: never,
    components: {},
    ...calls,
  };
}

type Asked = Partial<ProviderCalls & ServedResource>;

type Client = InstanceType<typeof library.ResourceProviderClient>;

async function asked<Response>(
  calls: Asked,
  ask: (client: Client, done: (error: Error | null, response: Response) => void) => unknown,
): Promise<Response> {
  const { port, close } = await serveProvider(provider(calls), () => undefined);
  const client = new library.ResourceProviderClient(
    `127.0.0.1:${port}`,
    library.grpc.credentials.createInsecure(),
  );
  try {
    return await new Promise((resolve, reject) => {
      ask(client, (error, response) => (error ? reject(error) : resolve(response)));
    });
  } finally {
    client.close();
    close();
  }
}

describe("The server by which the engine reaches the plugin", () => {
  const inputs = structOf(library, { zoneId: "z" });

  it("creates and updates nothing in a preview, whatever the engine asks", async () => {
    const create = new library.CreateRequest().setProperties(inputs).setPreview(true);
    const created = await asked<InstanceType<typeof library.CreateResponse>>({}, (client, done) =>
      client.create(create, done),
    );
    assert.deepEqual(created.getProperties()?.toJavaScript(), { zoneId: "z" });
    const update = new library.UpdateRequest().setNews(inputs).setPreview(true);
    const updated = await asked<InstanceType<typeof library.UpdateResponse>>({}, (client, done) =>
      client.update(update, done),
    );
    assert.deepEqual(updated.getProperties()?.toJavaScript(), { zoneId: "z" });
  });

  it("says before a preview that it creates nothing there: it answers no handshake, and configures itself without", async () => {
    const handshake = new library.ProviderHandshakeRequest();
    await assert.rejects(
      asked({}, (client, done) => client.handshake(handshake, done)),
      { code: library.grpc.status.UNIMPLEMENTED },
    );
    const request = new library.ConfigureRequest().setArgs(inputs);
    const configured = await asked<InstanceType<typeof library.ConfigureResponse>>(
      { configure: async (_urn, args) => assert.deepEqual(args, { zoneId: "z" }) },
      (client, done) => client.configure(request, done),
    );
    assert.equal(configured.getSupportspreview(), false);
    assert.equal(configured.getAcceptsecrets(), true);
  });

  it("tells the three verdicts on a difference apart", async () => {
    const { DIFF_NONE, DIFF_SOME, DIFF_UNKNOWN } = library.DiffResponse.DiffChanges;
    for (const [changes, verdict] of [
      [undefined, DIFF_UNKNOWN],
      [true, DIFF_SOME],
      [false, DIFF_NONE],
    ] as const) {
      const answer = await asked<InstanceType<typeof library.DiffResponse>>(
        { diff: async () => ({ changes, replaces: ["zoneId"] }) },
        (client, done) => client.diff(new library.DiffRequest(), done),
      );
      assert.equal(answer.getChanges(), verdict);
      assert.deepEqual(answer.getReplacesList(), ["zoneId"]);
    }
  });

  it("passes on what was done of a work that failed halfway", async () => {
    const failure = Object.assign(new Error("half"), {
      id: "i",
      properties: { a: 1 },
      reasons: ["b failed"],
    });
    const failing = asked({ create: () => Promise.reject(failure) }, (client, done) =>
      client.create(new library.CreateRequest(), done),
    );
    const error: unknown = await failing.then(
      () => assert.fail("it was to fail"),
      (reason) => reason,
    );
    const { message, metadata } = Object(error);
    assert.match(message, /half/);
    const [status] = metadata.get("grpc-status-details-bin");
    const [packed] = library.Status.deserializeBinary(status).getDetailsList();
    const detail = library.ErrorResourceInitFailed.deserializeBinary(
      packed?.getValue_asU8() ?? new Uint8Array(),
    );
    assert.equal(packed?.getTypeName(), "pulumirpc.ErrorResourceInitFailed");
    assert.deepEqual(
      [detail.getId(), detail.getProperties()?.toJavaScript(), detail.getReasonsList()],
      ["i", { a: 1 }, ["b failed"]],
    );
  });
});
