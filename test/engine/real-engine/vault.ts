import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** As the CLI names the provider of a stack's secrets: a key in a Vault. */
export const secretsProvider = "hashivault://stories";

const prefix = "vault:v1:";
let address: Promise<string> | undefined;

/**
 * What the CLI has to know in its environment of the Vault of this process, in which the keys of the stories' stacks are.
 * From a passphrase it would derive them in each run, slowly on purpose: that is a seventh of what a run costs.
 * It hides nothing: it stands for a service that does.
 */
export async function vaultEnv(): Promise<NodeJS.ProcessEnv> {
  address ??= listen();
  return { VAULT_ADDR: await address, VAULT_TOKEN: "of the stories" };
}

async function listen(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { plaintext, ciphertext }: { plaintext?: string; ciphertext?: string } = Object(
      await json(request),
    );
    const sealed = { ciphertext: `${prefix}${plaintext}` };
    const data = plaintext === undefined ? { plaintext: ciphertext?.slice(prefix.length) } : sealed;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data }));
  });
  // A story that has ended waits for nobody.
  server.unref().listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
