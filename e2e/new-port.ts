import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Ports that this process has served. A page of a later test may still have the data of such an origin. */
const SERVED = new Set<number>();

/** Has the server listen at a port that this process has not served before: an origin without data. */
export async function listenAtNewPort(server: Pick<Server, 'listen' | 'address' | 'close'>): Promise<number> {
  for (;;) {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    if (!SERVED.has(port)) {
      SERVED.add(port);
      return port;
    }
    await new Promise((closed) => server.close(closed));
  }
}
