import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface SecondDoor {
  readonly url: string;
  close(): Promise<void>;
}

/** Another port that leads to the same service: what moving to another base URL looks like. */
export async function secondDoor(url: string): Promise<SecondDoor> {
  const { port, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const service = connect(Number(port), hostname);
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    client.pipe(service).pipe(client);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const door = new URL(url);
  door.port = String((server.address() as AddressInfo).port);
  return {
    url: door.href,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
