import { execFileSync } from 'node:child_process';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveTree } from '../../.scripts/bench/serve-tree.mjs';
import type { Tree } from '../../.scripts/bench/trees.mjs';

/** True if this checkout has the commit: a shallow clone and the files of a release have none. */
export function hasCommit(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** An origin that serves one build after another, each with the headers of its own server. */
export interface Origin {
  readonly url: string;
  /** Serves the playground of this tree from now on. */
  show(tree: Tree): Promise<void>;
  close(): Promise<void>;
}

export async function openOrigin(): Promise<Origin> {
  const hosts = new Map<Tree, Awaited<ReturnType<typeof serveTree>>>();
  let target: URL | undefined;
  const server = createServer((asked, answer) => forward(target, asked, answer));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async show(tree) {
      const host = hosts.get(tree) ?? (await serveTree(tree));
      hosts.set(tree, host);
      target = new URL(host.address);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      for (const host of hosts.values()) await host.close();
    },
  };
}

function forward(target: URL | undefined, asked: IncomingMessage, answer: ServerResponse): void {
  if (target === undefined) return void answer.writeHead(503).end();
  const headers = { ...asked.headers, host: target.host };
  const onward = request({ host: target.hostname, port: target.port, path: asked.url, headers }, (found) => {
    // no file of one build may answer for the other
    answer.writeHead(found.statusCode ?? 502, { ...found.headers, 'cache-control': 'no-store' });
    found.pipe(answer);
  });
  onward.on('error', () => answer.destroy());
  onward.end();
}
