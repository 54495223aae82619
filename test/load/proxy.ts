import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** A proxy before the server, over sockets of the file system. It cuts and delays its connections. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [client: Socket, server: Socket]>();
  #isCutting = false;

  private constructor(target: string) {
    this.#server = createServer((client) => this.#connect(client, target));
  }

  static async listen(path: string, target: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(path, resolve));
    return proxy;
  }

  /** Connections at present. */
  get size(): number {
    return this.#pairs.size;
  }

  /** Cuts all connections at once. */
  cut(): void {
    for (const pair of this.#pairs) end(pair);
  }

  /** Cuts each connection when the server answers next, so that the answer, for example of a commit, is lost. */
  cutAnswers(): void {
    this.#isCutting = true;
    setTimeout(() => {
      this.#isCutting = false;
    }, 50);
  }

  /** Holds all bytes of the server back for a time. */
  stall(ms: number): void {
    for (const [client, server] of this.#pairs) {
      server.pause();
      setTimeout(() => client.destroyed || server.resume(), ms);
    }
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  #connect(client: Socket, target: string): void {
    const server = createConnection(target);
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => end(pair));
      socket.on('close', () => {
        end(pair);
        this.#pairs.delete(pair);
      });
    }
    client.on('data', (bytes) => void server.write(bytes));
    server.on('data', (bytes) => (this.#isCutting ? end(pair) : void client.write(bytes)));
  }
}

function end(pair: readonly [Socket, Socket]): void {
  for (const socket of pair) socket.destroy();
}
