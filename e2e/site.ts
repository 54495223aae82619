import { createServer, type Server } from 'node:http';
import { preview } from 'vite';
import { listenAtNewPort } from './new-port.ts';

/** The playground at a port: an origin without data. */
export interface App {
  readonly url: string;
  /** Every request that this port has seen, in order, as `METHOD /path?query`; a folder is named by its page. */
  readonly requests: readonly string[];
}

/** The built playground as `npm start` serves it. */
export interface Site {
  /** Serves it at another port, until the site is closed. */
  open(): Promise<App>;
  close(): Promise<void>;
}

export async function openSite(): Promise<Site> {
  const site = await preview({ root: '.', logLevel: 'warn', preview: { port: 0, host: '127.0.0.1' } });
  const ports: Server[] = [];
  const open = async (): Promise<App> => {
    const requests: string[] = [];
    const port = createServer((request, response) => {
      requests.push(`${request.method} ${fileOf(request.url ?? '/')}`);
      site.httpServer.emit('request', request, response);
    });
    ports.push(port);
    return { url: `http://127.0.0.1:${await listenAtNewPort(port)}/`, requests };
  };
  const close = async (): Promise<void> => {
    for (const port of ports) {
      port.close();
      port.closeAllConnections();
    }
    await site.close();
  };
  return { open, close };
}

function fileOf(url: string): string {
  return url.replace(/\/(?=\?|$)/, '/index.html');
}
